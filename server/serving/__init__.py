"""gunicorn: the service and its worker."""
