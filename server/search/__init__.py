"""Search requests: options, admission, deadlines."""
