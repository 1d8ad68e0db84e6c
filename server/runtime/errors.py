"""Everything that can be wrong with how the service is set up.

ServerError
├── SettingsError      a setting that cannot be understood
├── ApiKeyError        an API key that cannot be made or revoked
└── DatabaseError      the database cannot be reached, or is not one this version can work with
"""


class ServerError(Exception):
    """A fault of the installation, told to the person who runs it in one message."""


class SettingsError(ServerError):
    """A setting that cannot be understood; the message names it and quotes the value."""


class ApiKeyError(ServerError):
    """An API key that cannot be made or revoked."""


class DatabaseError(ServerError):
    """The database cannot be reached, or is not one this version can work with."""
