"""Game records: import, export, and their conversion to stored games."""
