"""The queue of long work."""
