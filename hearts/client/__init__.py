"""An HTTP client of the service."""
