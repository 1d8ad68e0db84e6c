"""The service on three instances behind nginx, with PostgreSQL and Redis, while parts fail."""
