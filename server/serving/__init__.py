"""The service under gunicorn."""
