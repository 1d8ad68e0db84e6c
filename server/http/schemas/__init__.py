"""The schemas of requests and answers."""
