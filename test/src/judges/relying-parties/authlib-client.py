"""Signs in by Authlib: prints where to go, reads where the browser came back to, and prints what it has learned."""

import json
import os
import sys

import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, jwt
from authlib.oidc.core import CodeIDToken

issuer, client_id, secret, callback = sys.argv[1:5]
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

provider = requests.get(issuer + "/.well-known/openid-configuration", timeout=10).json()
session = OAuth2Session(
    client_id, secret, scope="openid profile email", redirect_uri=callback, code_challenge_method="S256"
)
verifier, nonce = generate_token(48), generate_token(16)
url, state = session.create_authorization_url(
    provider["authorization_endpoint"], code_verifier=verifier, nonce=nonce
)
print(url, flush=True)

token = session.fetch_token(
    provider["token_endpoint"],
    authorization_response=sys.stdin.readline().strip(),
    state=state,
    code_verifier=verifier,
)
keys = JsonWebKey.import_key_set(requests.get(provider["jwks_uri"], timeout=10).json())
claims = jwt.decode(
    token["id_token"],
    keys,
    claims_cls=CodeIDToken,
    claims_options={"iss": {"essential": True, "value": issuer}, "aud": {"essential": True, "value": client_id}},
    claims_params={"nonce": nonce, "client_id": client_id, "access_token": token["access_token"]},
)
claims.validate(leeway=5)
told = session.get(provider["userinfo_endpoint"]).json()
if told["sub"] != claims["sub"]:
    raise SystemExit("userinfo is of somebody else")
print(json.dumps(told), flush=True)
