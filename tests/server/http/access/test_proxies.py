"""Which client a request comes from, behind which proxies."""

from __future__ import annotations

import pytest

from server.http.access.callers import current_caller
from server.http.access.guard import check_exposure
from server.http.access.proxies import TrustedProxies
from server.runtime.errors import SettingsError
from server.runtime.setting_readers import parse_networks
from server.runtime.settings import Settings
from tests.server.application import application

PROXIES = TrustedProxies(lambda *_: [], parse_networks("127.0.0.1, 10.0.0.0/8, 2001:db8::/32"))


@pytest.mark.parametrize(
    ("forwarded", "client"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("198.51.100.1, 192.0.2.7", "192.0.2.7"),  # the first was forged by the client
        ("192.0.2.7, 10.1.2.3, 10.1.2.4", "192.0.2.7"),
        ("198.51.100.1, 192.0.2.7, 2001:db8::1", "192.0.2.7"),
        ("192.0.2.7:40000", "192.0.2.7"),
        ("[2a00::7]:40000, 10.0.0.1", "2a00::7"),
        ("10.1.2.3", "10.1.2.3"),  # nobody but proxies: the one that asked first
        ("", "127.0.0.1"),
        ("192.0.2.7, unknown", "127.0.0.1"),  # what stands before it may be forged
        ("192.0.2.7, nonsense, 10.0.0.9", "10.0.0.9"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("192.0.2.7, ::ffff:10.1.2.3", "192.0.2.7"),
        ("192.0.2.7, [::FFFF:a01:203]:40000", "192.0.2.7"),
    ],
)
def test_the_client_is_the_last_address_that_is_no_proxy(forwarded, client):
    assert PROXIES.client("127.0.0.1", forwarded) == client


def who(app, peer, **headers):
    """The caller of a request, and the URL that the request is for."""
    answer = app.test_client().get("/who", headers=headers, environ_base={"REMOTE_ADDR": peer})
    return answer.json


def test_headers_of_strangers_are_ignored(tmp_path):
    with application(tmp_path, trusted_proxies="10.0.0.1", allow_open=True) as app:
        from flask import request

        app.add_url_rule("/who", view_func=lambda: [current_caller().address, request.url])
        headers = {
            "X-Forwarded-For": "192.0.2.7",
            "X-Forwarded-Host": "hearts.example",
            "X-Forwarded-Proto": "https",
        }
        assert who(app, "10.0.0.1", **headers) == ["192.0.2.7", "https://hearts.example/who"]
        assert who(app, "10.0.0.2", **headers) == ["10.0.0.2", "http://localhost/who"]
        assert who(app, "::ffff:10.0.0.1", **headers)[0] == "192.0.2.7"


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Real-IP"])
def test_a_service_for_this_machine_refuses_what_a_proxy_passes_on(tmp_path, header):
    with application(tmp_path) as app:
        client = app.test_client()
        refused = client.get("/api/models", headers={header: "for=192.0.2.7"})
        assert (refused.status_code, refused.json["error_code"]) == (403, "FORBIDDEN")
        assert refused.json["message"].startswith(f"{header}: a proxy has passed this request")
        assert client.get("/healthz", headers={header: "for=192.0.2.7"}).status_code == 200
        assert client.get("/api/models").status_code == 200
    with application(tmp_path, allow_open=True) as app:
        assert app.test_client().get("/api/models", headers={header: "a"}).status_code == 200


def test_a_service_behind_a_proxy_is_not_open_by_mistake():
    settings = Settings(trusted_proxies="127.0.0.1")
    with pytest.raises(SettingsError, match="through HEARTS_TRUSTED_PROXIES other machines can"):
        check_exposure(settings)
    assert settings.enforced_rate == "600 per minute"
    assert settings.enforced_expensive_rate == "60 per minute"
    check_exposure(Settings(trusted_proxies="127.0.0.1", require_keys=True))
