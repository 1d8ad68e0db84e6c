"""The shapes of requests and answers, one schema each."""
