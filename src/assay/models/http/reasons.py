"""Why no connection came about, where it is not that nobody is there: a certificate that nothing
here trusts, the other of http and https, a proxy that is down.
"""

import os
import re
import socket
import ssl
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from assay.messages import tr
from assay.types.model_spec import without_userinfo

# One handshake, without looking at a certificate and without sending anything, tells a TLS
# server that resets plain http from a server that is broken.
HANDSHAKE_S = 1.0
_CERTIFICATE = re.compile(r"CERTIFICATE_VERIFY_FAILED\]?[^:]*: (?P<why>[^(]*)")
_PLAIN = re.compile("WRONG_VERSION_NUMBER|record layer failure", re.IGNORECASE)  # OpenSSL's words
# What Go's and nginx's servers say, with status 400, to a request without TLS.
_WANTS_TLS = re.compile("HTTP request to an? HTTPS|HTTP request was sent to HTTPS", re.IGNORECASE)
_OTHER_NAME = re.compile("hostname mismatch|IP address mismatch", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reason:
    """`sentence` says what is wrong, `hint` what to do; `instead`: the URL that would do."""

    sentence: str
    hint: str = ""
    instead: str = ""


@dataclass(frozen=True, slots=True)
class ProxyInUse:
    """`url` with its password, as the environment names it in `variable`."""

    url: str
    variable: str

    @property
    def in_words(self) -> str:
        place = self.url if "://" in self.url else f"http://{self.url}"
        return tr("{proxy} ({variable})", proxy=without_userinfo(place), variable=self.variable)


def proxy_variable(scheme: str) -> str:
    names = (f"{scheme}_proxy", f"{scheme.upper()}_PROXY")
    return next((name for name in names if os.environ.get(name)), tr("of the system's settings"))


def why_no_connection(url: str, said: str, proxy: ProxyInUse | None) -> Reason | None:
    """None where nobody is there, or the reason is not known."""
    if found := _CERTIFICATE.search(said):
        return _untrusted(url, found["why"].strip(" .,"))
    if _PLAIN.search(said):
        plain = _with_scheme(url, "http")
        return Reason(tr("{url} speaks plain http, not https", url=url), instead=plain)
    if proxy:
        return Reason(
            tr("the proxy {proxy} lets nothing through to {url}: {why}",
               proxy=proxy.in_words, url=url, why=said),
            tr("start it, unset {variable}, or name the server in no_proxy",
               variable=proxy.variable),
        )  # fmt: skip
    return None


def _untrusted(url: str, why: str) -> Reason:
    sentence = tr("nothing here trusts the certificate of {url}: {why}", url=url, why=why)
    if _OTHER_NAME.search(why):
        return Reason(sentence, tr("write the name that the certificate is for"))
    if "expired" in why:
        return Reason(sentence, tr("renew it, or set this machine's clock"))
    hint = tr(
        "if the server is yours, name its certificate: SSL_CERT_FILE=CERTIFICATE.pem, or that of "
        "who signed it"
    )
    return Reason(sentence, hint)


def wants_tls(url: str, said: str = "") -> Reason | None:
    """Of a server that was asked by http and broke off, or said so: whether it speaks https."""
    parts = urlsplit(url)
    if parts.scheme != "http" or not (_WANTS_TLS.search(said) or _shakes_hands(url)):
        return None
    secure = _with_scheme(url, "https")
    return Reason(tr("{url} speaks https, not plain http", url=url), instead=secure)


def _shakes_hands(url: str) -> bool:
    """A handshake, in which no certificate is looked at and nothing is sent."""
    parts = urlsplit(url)
    any_certificate = ssl.create_default_context()
    any_certificate.check_hostname = False
    any_certificate.verify_mode = ssl.CERT_NONE
    place = (parts.hostname or "", parts.port or 80)
    try:
        with (
            socket.create_connection(place, HANDSHAKE_S) as peer,
            any_certificate.wrap_socket(peer, server_hostname=place[0]),
        ):
            return True
    except (OSError, ValueError):  # an SSLError is an OSError
        return False


def _with_scheme(url: str, scheme: str) -> str:
    return urlunsplit(urlsplit(url)._replace(scheme=scheme))
