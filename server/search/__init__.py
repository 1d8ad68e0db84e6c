"""Searches for requests: options, admission, deadlines, streams."""
