import { ACCOUNT_TABLE } from './account-catalog.js';
import type { AttackText } from './attack.js';

/**
 * The attacks, in the order in which they run: the ID, the source, the requirements, the attempt of the attacker, what
 * the application did if it succeeded, and how to correct the application. A `"` stands for the text in the row above.
 */
const TABLE = `
code-replay | RFC 6749 §10.5 | code | Redeems an authorization code twice. | the second request with the same code also got tokens | Consume the code in one atomic operation of the model, as \`redeem()\` of the stores does.
code-replay-tokens | RFC 6749 §4.1.2 | code | Uses tokens whose authorization code was redeemed again. | | Revoke all tokens of the grant when its code is replayed: implement \`revokeGrant()\` of the model.
code-other-client | RFC 6749 §4.1.3 | code | Redeems the code of an honest client with the credentials of a malicious client. | a client redeemed the code of another client | Store the client, the redirect URI and the code challenge with the code, and compare all of them.
code-other-public-client | RFC 6819 §4.4.1.1 | code, public clients | Redeems the code of a confidential client as a public client. | a public client redeemed the code of a confidential client | "
code-without-credentials | RFC 6749 §3.2.1 | code | Redeems the code of a confidential client with its \`client_id\` and no secret. | the code of a confidential client was redeemed without client authentication | Remove \`requireClientAuthentication: { authorization_code: false }\`, and return confidential clients only if the secret is correct.
code-other-redirect-uri | RFC 6749 §4.1.3 | code | Redeems a code with another redirect URI than that of the authorization request. | a code was redeemed with another redirect URI | Store the client, the redirect URI and the code challenge with the code, and compare all of them.
code-expired | RFC 6749 §4.1.2 | code, clock | Redeems a code one day after it was issued. | an authorization code of yesterday was redeemed | Let \`getAuthorizationCode()\` of the model return the \`expiresAt\` that was saved.
code-guessing | RFC 6819 §4.4.1.3 | code | Guesses authorization codes from earlier ones. | | Remove \`generateAuthorizationCode()\` from the model, or generate at least 128 random bits in it.
code-as-access-token | RFC 6750 §5.2 | code, guarded route | Presents an authorization code to a guarded route as an access token. | the guarded route accepted an authorization code | Find access tokens and codes in different tables, or store the kind with each.
code-disabled-grant | RFC 6749 §5.2 | code, client_credentials, new clients | Redeems a code at a client that is not registered for the authorization code grant. | | Return only the registered \`grants\` of a client from \`getClient()\`.
pkce-missing | RFC 9700 §2.1.1 | code, public clients | Requests a code for a public client without a code challenge. | a public client got a code without PKCE | Remove the option \`requirePKCE: 'none'\`.
pkce-plain | RFC 9700 §2.1.1 | code | Requests a code with the challenge method \`plain\`, which reveals the verifier to every log. | the server accepted the challenge method \`plain\` | Remove the option \`enablePlainPKCE\`.
pkce-method-missing | RFC 7636 §4.3 | code | Omits the challenge method, so that the challenge is its own verifier. | a challenge without a method counts as \`plain\` | "
pkce-code-injection | RFC 9700 §4.5 | code | Redeems the stolen code of a user with the verifier of another authorization request. | a code was redeemed with the verifier of another request | Save \`codeChallenge\` and \`codeChallengeMethod\` with the code, and return both from \`getAuthorizationCode()\`.
pkce-no-verifier | RFC 7636 §4.6 | code | Redeems a code that has a challenge without a verifier. | a code with a challenge was redeemed without a verifier | "
pkce-challenge-as-verifier | RFC 7636 §7.2 | code | Sends the code challenge, which passes through the browser, as the verifier. | the challenge was accepted as the verifier | "
pkce-downgrade | RFC 9700 §4.8 | code | Removes the challenge from the request of a user, and redeems the code at a client that sends a verifier. | a code without a challenge was redeemed with a verifier | Reject a \`code_verifier\` for a code without a challenge, or set \`requirePKCE: 'all'\`.
redirect-uri-other-host | RFC 9700 §4.1 | code | Sends the user with a code to a redirect URI of another host. | | Compare redirect URIs character by character: return the registered \`redirectUris\` from \`getClient()\`, and remove \`validateRedirectUri()\`.
redirect-uri-subdomain | RFC 9700 §4.1.1 | code | Sends the user with a code to a redirect URI at a subdomain. | | "
redirect-uri-domain-suffix | RFC 9700 §4.1.1 | code | Sends the user with a code to a redirect URI with a host that begins like the registered one. | | "
redirect-uri-domain-prefix | RFC 9700 §4.1.1 | code | Sends the user with a code to a redirect URI with a host that ends like the registered one. | | "
redirect-uri-userinfo | RFC 3986 §7.6 | code | Sends the user with a code to a redirect URI with the registered host as user info of another host. | | "
redirect-uri-backslash | RFC 9700 §4.1.3 | code | Sends the user with a code to a redirect URI with a backslash that browsers read as a slash. | | "
redirect-uri-path-suffix | RFC 9700 §4.1.1 | code | Sends the user with a code to a redirect URI with a longer path. | | "
redirect-uri-path-traversal | CVE-2023-6927 (Keycloak) | code | Sends the user with a code to a redirect URI with a path with \`..\`. | | "
redirect-uri-encoded-traversal | CVE-2024-8883 (Keycloak) | code | Sends the user with a code to a redirect URI with a path with an encoded \`..\`. | | "
redirect-uri-path-case | RFC 9700 §4.1.3 | code | Sends the user with a code to a redirect URI with a path in another case. | | "
redirect-uri-port | RFC 9700 §4.1.3 | code | Sends the user with a code to a redirect URI with another port. | | "
redirect-uri-scheme | RFC 9700 §2.6 | code | Sends the user with a code to a redirect URI with http instead of https. | | "
redirect-uri-query | RFC 9700 §4.1.3 | code | Sends the user with a code to a redirect URI with an additional query parameter. | | "
redirect-uri-fragment | RFC 6749 §3.1.2 | code | Sends the user with a code to a redirect URI with a fragment. | | "
redirect-uri-script | CVE-2023-6134 (Keycloak) | code | Sends the user with a code to a redirect URI with a \`javascript:\` URI. | | "
redirect-uri-whitespace | RFC 9700 §4.1.3 | code | Sends the user with a code to a redirect URI with a trailing line feed. | | "
redirect-uri-repeated | RFC 6749 §3.1 | code | Sends \`redirect_uri\` twice: the registered one and one of the attacker. | | Do not merge or reorder repeated parameters in middleware before the authorization endpoint.
redirect-uri-native | RFC 8252 §8.10 | code, public clients, new clients | Takes the code of a native app with a host that looks like a loopback address. | | Compare redirect URIs character by character: return the registered \`redirectUris\` from \`getClient()\`, and remove \`validateRedirectUri()\`.
open-redirect-unknown-client | RFC 9700 §4.11.2 | /authorize, user | Lets the server send a browser to the site of the attacker, with an error for an unknown client. | the error was sent to the redirect URI of an unknown client | Show errors on a page unless the client and its redirect URI are known: remove the error handling of your own controller.
open-redirect-login | RFC 9700 §4.11 | login page, /login | Sends a user to the site of the attacker after the login. | | After the login, redirect only to paths of this server. Compare the origin of the resolved URL, not the text.
open-redirect-logout | RP-Initiated Logout 1.0 §3 | user, /logout | Sends a user to the site of the attacker after signing out. | | Redirect only to the registered \`postLogoutRedirectUris\` of a client.
redirect-status | RFC 9700 §4.12 | code | Receives the password or the decision of a user, because a form is redirected with status 307. | | Redirect with 303 after a form: browsers repeat a form at the target of 307 and 308.
mix-up | RFC 9207 §2, RFC 9700 §4.4 | code, issuer | Lets a client send the code of this server to the server of the attacker. | | Set the option \`issuer\`, and keep \`iss\` in the redirects of your own controller.
mix-up-error | RFC 9207 §2 | code, issuer | Sends an error response to a client in the name of this server. | | Keep \`iss\` in error responses too.
state-lost | RFC 9700 §4.7 | code | Injects a code into the session of a client, because the server changes or loses \`state\`. | | Return \`state\` unchanged.
host-header | RFC 8414 §6.2, OWASP WSTG-INPV-17 | code | Changes the URLs of the server with the headers \`Host\` and \`X-Forwarded-Host\`. | | Set the option \`issuer\`, and trust only your own proxy: \`app.set('trust proxy', 'loopback')\`.
csrf-consent | RFC 9700 §4.7 | code | Allows access in the name of a user with a form on another site, without the CSRF token. | | Put a CSRF token that is bound to the session into a hidden field of the form, and verify it. RFC 9700 §4.7
csrf-consent-other-request | RFC 9700 §4.7 | code, new clients | Uses the CSRF token of one authorization request to allow another one. | | Bind the CSRF token to the user and the authorization request, as \`context.csrfToken\` is.
consent-by-link | RFC 9700 §4.7 | code | Allows access in the name of a user with a link. | | Accept decisions by POST only.
consent-replay | RFC 6819 §4.4.1.10 | code | Sends the consent form of a user again, to get another code. | | Consume the CSRF token: the model must implement \`once()\`.
csrf-login | RFC 6819 §4.4.1.8, OWASP login CSRF | login page, /login | Signs a user in to the account of the attacker with a form on another site. | the login form was accepted without its CSRF token | Put a CSRF token that is bound to the session into a hidden field of the form, and verify it. RFC 9700 §4.7
csrf-own-pages | OWASP CSRF | own pages | Sends the forms of your own pages from another site, without their hidden fields. | | "
csrf-applications | OWASP CSRF | code, refresh_token, /applications | Removes the access of an application in the name of a user. | | "
clickjacking | RFC 9700 §4.16 | code | Shows the login and consent pages in an invisible frame. | | Send \`Content-Security-Policy: frame-ancestors 'none'\` and \`X-Frame-Options: DENY\` with each page.
clickjacking-own-pages | RFC 9700 §4.16 | own pages | Shows your own pages with forms in an invisible frame. | | Send pages with \`sendPage()\`, or set \`Content-Security-Policy: frame-ancestors 'none'\`.
page-cache | RFC 9700 §4.2.4, RFC 9111 §5.2.2.5 | code | Reads the pages of a user from a cache. | | Send \`Cache-Control: no-store\` with each page of a user.
referrer-leak | RFC 9700 §4.2.4 | code | Reads the authorization request of a user from the header \`Referer\`. | | Send \`Referrer-Policy: no-referrer\` with each page.
xss-parameters | RFC 6819 §4.4.1.13 | /authorize, user | Runs a script on the pages of the server, with parameters of the request. | | Escape all values in your own pages: use the tag \`html\`.
xss-client-name | RFC 7591 §5 | code, new clients | Runs a script on the consent page, with the name of a malicious client. | | Escape the names of clients in your own consent page: use the tag \`html\`.
session-fixation | OWASP session fixation, RFC 6819 §4.4.1.5 | login page, authorization_code | Gives a user a session cookie before the login, and uses it afterwards. | | Start a new session at the login: \`request.session.regenerate()\`, or the sessions of \`pages()\`.
session-after-sign-out | OWASP session termination | login page, authorization_code, /logout | Uses a copied session cookie after the user has signed out. | | End the session on the server when the user signs out, not only the cookie.
session-cookie | RFC 6265bis §4.1.2 | login page, authorization_code | Reads the session cookie with a script, without TLS, or sends it with forms of other sites. | | Set the session cookie with \`HttpOnly\`, \`SameSite=Lax\`, and \`Secure\` if the server is reached over TLS.
login-enumeration | OWASP WSTG-IDNT-04 | login page, /login | Finds out which user names exist, from the response to a wrong password. | | Respond to unknown users and wrong passwords with the same page and status.
login-guessing | RFC 6819 §4.4.3.6, OWASP WSTG-ATHN-03 | login page, /login | Guesses the password of a user without limit. | | Keep the default limits of \`pages()\`, or limit attempts for each account and network in your own login.
prompt-none | OpenID Connect Core 1.0 §3.1.2.1 | user, openid(), authorization_code | Gets a code for a user who is not signed in, with \`prompt=none\`. | | Let \`findUser()\` of your interaction return only the user of a valid session.
login-forced | OpenID Connect Core 1.0 §3.1.2.1, RFC 9470 §4 | login page, authorization_code, openid() | Uses an old session although the client requires a new login. | | Show the login page if \`requestedLogin.reauthenticate\` is set, also to signed-in users.
client-wrong-secret | RFC 6749 §10.1 | client_credentials | Requests a token with a wrong client secret. | a wrong secret was accepted | Return a confidential client from \`getClient()\` only if the secret is correct, compared in constant time.
client-missing-secret | RFC 6749 §10.2 | client_credentials | Requests a token for a confidential client without a secret, or with an empty one. | a confidential client was accepted without its secret | "
client-public-machine | RFC 6749 §4.4.2 | client_credentials, public clients | Requests a token for a public client with the client credentials grant. | a public client got a token of its own | Do not register \`client_credentials\` for clients with the method \`none\`.
client-two-methods | RFC 6749 §2.3 | client_credentials | Sends the credentials of two clients in one request. | credentials of two clients were accepted | Do not add credentials to requests in middleware.
client-id-mismatch | RFC 6749 §3.2.1 | client_credentials | Authenticates as one client and names another one in \`client_id\`. | the \`client_id\` of another client was accepted | Do not add or change \`client_id\` in middleware.
client-secret-in-url | RFC 6749 §2.3.1 | client_credentials | Sends the client secret in the URL, where logs store it. | credentials in the URL were accepted | Do not copy query parameters to the form in middleware.
token-by-get | RFC 6749 §3.2 | client_credentials | Requests a token by GET, so that caches and logs store the response. | a token was issued by GET | Route only POST to the token endpoint.
client-id-variants | RFC 6749 §2.2 | client_credentials | Finds a client by its ID in another case or with spaces, to evade limits and checks. | | Compare client IDs exactly: use a binary collation for the column.
client-method-downgrade | RFC 7591 §2, OpenID Connect Core 1.0 §9 | client_credentials, privateKeyJwt(), new clients | Authenticates with a method that the client has not registered. | a client with a key was accepted with a secret | Return \`tokenEndpointAuthMethod\` from \`getClient()\`.
client-grant-escalation | RFC 6749 §5.2 | new clients | Uses grants that the client is not registered for. | | Return only the registered \`grants\` of a client from \`getClient()\`.
introspection-unauthenticated | RFC 7662 §2.1, §4 | /introspection, client_credentials | Introspects a token without client authentication. | a token was introspected without credentials | Require client authentication at the introspection endpoint.
introspection-public | RFC 7662 §4 | /introspection, client_credentials, public clients | Introspects a stolen token as a public client. | a public client introspected the token of another client | Allow introspection only to confidential clients.
revocation-other-client | RFC 7009 §2.1 | /revocation, code, refresh_token | Revokes the token of another client. | | Compare the client of the token with the authenticated client before revoking.
token-cache | RFC 6749 §5.1 | client_credentials | Reads tokens from a cache. | | Keep the header \`Cache-Control: no-store\` of token responses.
scope-unregistered | RFC 6749 §3.3 | code | Requests a scope that the client is not registered for. | | Return only allowed values from \`validateScope()\` of the model, and the registered \`scopes\` of the client.
scope-machine | RFC 6749 §4.4.2 | client_credentials | Requests a scope for a program that it is not registered for. | | "
scope-refresh | RFC 6749 §6 | code, refresh_token | Refreshes a token with more scopes than the user has granted. | | Return the granted scope of a refresh token from \`getRefreshToken()\`.
scope-consent-form | RFC 6819 §4.4.1.10 | code, new clients | Adds a scope to the consent form that the user did not see. | | Grant only the scope of the authorization request, not that of the form.
consent-other-client | MCP Security Best Practices (confused deputy), FastMCP GHSA-5h2m-4q8j-pqpj | code, new clients | Gets a code for a malicious client without consent, since the user has consented to another client. | another client got a code without consent | Store consents by user, client, issuer and scope, and compare all of them in \`hasConsented()\`.
consent-wider-scope | RFC 6749 §10.12, RFC 9700 §2.3 | code, new clients | Gets more scopes without consent, since the user has consented to fewer. | more scopes were granted without consent | "
consent-native-app | RFC 8252 §8.6, RFC 9700 §4.14 | code, public clients, new clients | Gets a code for a program that impersonates a native app, without consent. | the second request of a native app needed no consent | Ask for consent each time if a public client has a loopback or private-use redirect URI.
guard-no-token | RFC 6750 §3.1 | route | Calls the guarded route without a token, and with malformed ones. | | Add \`@UseGuards(OAuthGuard)\` to the controller, and no \`@Public()\` or \`@OptionalAuth()\`.
guard-scope | RFC 6750 §3.1 | code, guarded route, new clients | Calls the guarded route with a token that has none of its scopes. | the guarded route accepted a token of another scope | Add \`@Scopes()\` to the route.
token-in-url | RFC 9700 §4.3.2 | code, guarded route | Sends an access token in the URL, where logs and the header \`Referer\` reveal it. | the guarded route accepted a token in the URL | Remove the option \`allowBearerTokensInQueryString\`.
resource-unknown | RFC 8707 §2 | resourceIndicators(), client_credentials | Requests a token for a resource that the server does not know. | a token for an unknown resource was issued | List the allowed resources in \`resourceIndicators({ resources })\`.
resource-refresh | RFC 8707 §2.2 | code, resourceIndicators(), refresh_token | Refreshes a token for a resource that was not granted. | the token was widened to another resource | Save \`resource\` with refresh tokens and return it from \`getRefreshToken()\`.
audience-missing | MCP Authorization §Token Handling, RFC 8707 §2 | code, guarded route, mcp() | Calls a protected resource with a token that was not issued for it. | the resource accepted a token without its audience | List the route as a resource: \`mcp()\` or \`protectedResource()\` with \`resourceIndicators()\`.
implicit-grant | RFC 9700 §2.1.2 | code | Requests an access token in the redirect, where the browser and its history reveal it. | an access token was sent in the redirect | Do not register the grant \`implicit\` for clients.
refresh-replay | RFC 9700 §4.14.2 | code, refresh_token | Uses a stolen refresh token after its client has used it. | a used refresh token was accepted again | Keep \`alwaysIssueNewRefreshToken\`, and mark the used refresh token in the same operation that saves the new one.
refresh-family | RFC 9700 §4.14.2 | code, refresh_token | Keeps the newest refresh token of a stolen family after the theft was detected. | the family was not revoked | Revoke all tokens of the grant when a used refresh token is replayed: implement \`revokeGrant()\` of the model.
refresh-family-access | RFC 9700 §4.14.2 | code, refresh_token, guarded route | Keeps the access token of a stolen family after the theft was detected. | the access token of the family is still valid | Revoke access tokens with their grant, or keep \`accessTokenLifetime\` short for JWTs.
refresh-other-client | RFC 6749 §10.4 | code, refresh_token | Uses the stolen refresh token of another client. | a client used the refresh token of another client | Return the client of a refresh token from \`getRefreshToken()\`.
refresh-without-credentials | RFC 6749 §6 | code, refresh_token | Uses the stolen refresh token of a confidential client without its credentials. | a confidential client needed no credentials | Remove \`requireClientAuthentication: { refresh_token: false }\`.
refresh-expired | RFC 9700 §4.14.2 | code, refresh_token, clock | Uses a refresh token years after it was issued. | a refresh token of five years ago was accepted | Let \`getRefreshToken()\` of the model return the \`refreshTokenExpiresAt\` that was saved.
refresh-revoked | RFC 7009 §2.1 | code, refresh_token, /revocation | Uses a refresh token after it was revoked. | a revoked refresh token was accepted | Delete or mark the token in \`revokeToken()\` of the model.
refresh-as-access-token | RFC 6750 §5.2 | code, refresh_token, guarded route | Presents a refresh token to a guarded route as an access token. | the guarded route accepted a refresh token | Find access tokens and refresh tokens in different tables, or store the kind with each.
access-expired | RFC 6750 §5.3 | code, guarded route, clock | Uses an access token years after it was issued. | an access token of five years ago was accepted | Let \`getAccessToken()\` of the model return the \`accessTokenExpiresAt\` that was saved.
access-revoked | RFC 7009 §2.1 | code, refresh_token, guarded route, /revocation | Uses an access token after its grant was revoked. | the access token of a revoked grant is still valid | Revoke all tokens of a grant together: implement \`revokeGrant()\` of the model.
refresh-guessing | RFC 6749 §10.10 | code, refresh_token | Guesses refresh tokens from earlier ones. | | Remove \`generateRefreshToken()\` and \`generateAccessToken()\` from the model, or generate 128 random bits in them.
snapshot-restore | RFC 9700 §4.14.2 | code, refresh_token, snapshot | Uses a refresh token that was revoked after the backup from which the database is restored. | the restored database accepts a refresh token that was revoked | After a restore, revoke everything that was issued before it: \`OAuth2Grants.revokeBefore()\`.
cors-token | OWASP WSTG-CLNT-07 | /token | Reads token responses with the cookies of a user on another site. | | List the origins of your own pages in \`cors: { origins }\`, and remove \`app.enableCors()\` with \`credentials: true\` or a reflected origin.
cors-pages | RFC 9700 §4.7 | /authorize | Reads the pages of a user, with their CSRF tokens, on another site. | | "
cors-guarded-route | OWASP WSTG-CLNT-07 | guarded route | Calls the guarded route with the cookies of a user on another site. | | "
dpop-method | RFC 9449 §4.3 (8) | code, dpop() | Sends a DPoP proof for another HTTP method. | an invalid proof was accepted | Do not remove the checks of \`dpop()\` by a wrapper, and route requests to the server unchanged.
dpop-url | RFC 9449 §4.3 (9) | code, dpop() | Sends a DPoP proof for another URL. | " | "
dpop-old | RFC 9449 §4.3 (11) | code, dpop() | Sends a DPoP proof of yesterday. | " | Set the clocks of your servers by NTP, and keep \`clockTolerance\` short.
dpop-future | RFC 9449 §11.1 | code, dpop() | Sends a DPoP proof of tomorrow. | " | "
dpop-type | RFC 9449 §4.3 (4) | code, dpop() | Sends a JWT of another type as DPoP proof. | " | Do not remove the checks of \`dpop()\` by a wrapper.
dpop-private-key | RFC 9449 §4.3 (7) | code, dpop() | Sends a DPoP proof that contains a private key. | " | "
dpop-other-key | RFC 9449 §4.3 (6) | code, dpop() | Sends a DPoP proof with the public key of somebody else. | " | "
dpop-unsigned | RFC 8725 §2.1, RFC 9449 §4.3 (5) | code, dpop() | Sends a DPoP proof without a signature. | a proof without a signature was accepted | "
dpop-hmac | RFC 8725 §2.1, RFC 9449 §4.3 (5) | code, dpop() | Signs a DPoP proof with the public key as HMAC key. | a proof was accepted whose HMAC key is the public key | "
dpop-replay | RFC 9449 §11.1 | code, dpop() | Sends a DPoP proof twice to the token endpoint. | the same proof was accepted twice | Implement \`once()\` of the model with one atomic insert.
dpop-stolen-token | RFC 9449 §7.1 | code, dpop(), guarded route | Presents a stolen DPoP token as a bearer token. | the guarded route accepted a stolen token without a proof of its key | Save the property \`cnf\` with access tokens, and return it from \`getAccessToken()\`.
dpop-stolen-token-other-key | RFC 9449 §7.1 | code, dpop(), guarded route | Presents a stolen DPoP token with the key of the thief. | " | "
dpop-other-token | RFC 9449 §4.3 (12) | code, dpop(), guarded route | Presents a stolen DPoP token with a stolen proof for another token. | " | "
dpop-replay-at-resource | RFC 9449 §11.1 | code, dpop(), guarded route | Sends a DPoP proof twice to the guarded route. | " | Implement \`once()\` of the model with one atomic insert.
dpop-refresh-other-key | RFC 9449 §5 | code, refresh_token, dpop(), public clients | Uses the stolen refresh token of a public client with another key. | the refresh token of a public client was used with another key | Save the property \`cnf\` with refresh tokens, and return it from \`getRefreshToken()\`.
assertion-audience | RFC 7523 §3 (3), CVE-2025-27370 | client_credentials, privateKeyJwt(), new clients | Sends a client assertion that was made for another server. | an invalid client assertion was accepted | List only URLs of this server in \`audiences\` of \`privateKeyJwt()\`.
assertion-expired | RFC 7523 §3 (4) | client_credentials, privateKeyJwt(), new clients | Sends an expired client assertion. | " | Set the clocks of your servers by NTP, and keep \`clockTolerance\` short.
assertion-without-expiry | RFC 7523 §3 (4) | client_credentials, privateKeyJwt(), new clients | Sends a client assertion that never expires. | " | Do not verify client assertions in your own code: use \`privateKeyJwt()\`.
assertion-other-key | RFC 7523 §3 (9) | client_credentials, privateKeyJwt(), new clients | Signs a client assertion with a key that is not registered. | " | "
assertion-issuer | RFC 7523 §3 (1) | client_credentials, privateKeyJwt(), new clients | Sends a client assertion with another \`iss\` than the client. | " | "
assertion-unsigned | RFC 8725 §2.1 | client_credentials, privateKeyJwt(), new clients | Sends a client assertion without a signature. | " | "
assertion-hmac | RFC 8725 §2.1 | client_credentials, privateKeyJwt(), new clients | Signs a client assertion with the public key of the client as HMAC key. | " | "
assertion-embedded-key | CVE-2018-0114, RFC 8725 §3.5 | client_credentials, privateKeyJwt(), new clients | Sends a client assertion with its own key in the header. | " | "
assertion-replay | RFC 7523 §3 (7), RFC 9700 §4.15 | client_credentials, privateKeyJwt(), new clients | Sends a client assertion twice. | the same client assertion was accepted twice | Implement \`once()\` of the model with one atomic insert.
request-object-unsigned | RFC 9101 §10.1 | code, requestObjects(), new clients | Sends a request object without a signature. | an invalid request object was accepted | Do not accept request objects in your own code: use \`requestObjects()\`.
request-object-other-key | RFC 9101 §6.2 | code, requestObjects(), new clients | Signs a request object with a key that the client has not registered. | " | "
request-object-audience | RFC 9101 §4, RFC 9700 §4.4 | code, requestObjects(), new clients | Sends a request object that was made for another server. | " | "
request-object-expired | RFC 9101 §4 | code, requestObjects(), new clients | Sends an expired request object. | " | "
request-object-other-client | RFC 9101 §5 | code, requestObjects(), new clients | Sends the request object of another client. | " | "
request-object-redirect-uri | RFC 9700 §4.1 | code, requestObjects(), new clients | Sends an unregistered redirect URI in a request object. | " | "
pushed-request-other-client | RFC 9126 §7.3 | code, /pushed_authorization_request | Opens the pushed request of another client. | a client opened the pushed request of another client | Return the client of a pushed request from \`getPushedRequest()\`.
pushed-request-replay | RFC 9126 §4 | code, /pushed_authorization_request | Opens a pushed request again after its code was issued. | a pushed request led to two codes | Delete the pushed request in \`revokePushedRequest()\`.
pushed-request-expired | RFC 9126 §2.2 | code, /pushed_authorization_request, clock | Opens a pushed request one day later. | a pushed request of yesterday was opened | Return the \`expiresAt\` of a pushed request that was saved.
pushed-request-nested | RFC 9126 §2.1 | code, /pushed_authorization_request | Pushes a request that refers to another request. | a request that refers to another request was accepted | Do not remove the checks of \`pushedRequests()\` by a wrapper.
pushed-request-changed | RFC 9126 §4 | code, /pushed_authorization_request | Changes parameters of a pushed request in the URL. | a parameter in the URL replaced that of the pushed request | "
jwt-unsigned | RFC 8725 §2.1, CVE-2015-9235 | code, guarded route | Forges an access token with \`alg\` set to \`none\`. | the guarded route accepted the token | Verify access tokens with \`OAuthGuard\`, and not in your own code.
jwt-hmac | RFC 8725 §2.1, CVE-2016-5431 | code, guarded route | Forges an access token with the public key of the server as HMAC key. | " | "
jwt-embedded-key | CVE-2018-0114, RFC 8725 §3.5 | code, guarded route | Forges an access token with its own key in the header. | " | "
jwt-key-url | RFC 8725 §3.10 | code, guarded route | Forges an access token with the URL of its own key. | " | "
jwt-key-id | RFC 8725 §3.10 | code, guarded route | Forges an access token with a path and a database statement as key ID. | " | "
jwt-changed | RFC 8725 §3.2 | code, guarded route | Changes the scope of an access token. | " | "
jwt-id-token | RFC 8725 §3.11, RFC 9068 §5 | code, guarded route, openid() | Presents an ID token as access token. | " | "
id-token-audience | OpenID Connect Core 1.0 §3.1.3.7 | code, openid(), issuer | Uses the ID token of one client at another client. | | Remove your own changes to the claims of ID tokens.
id-token-nonce | OpenID Connect Core 1.0 §15.5.2 | code, openid() | Injects the ID token of another request. | | Save \`nonce\` with the code: keep all properties that \`saveAuthorizationCode()\` receives.
id-token-hint-unsigned | RP-Initiated Logout 1.0 §4 | login page, openid(), /logout | Signs a user out with a forged ID token. | an unsigned hint signed the user out without a question | Do not sign users out in your own code: use the page of \`pages()\`.
ssrf-jwks-uri | RFC 9700 §4.13, OWASP SSRF | client_credentials, privateKeyJwt(), new clients | Lets the server fetch keys from its own network. | | Remove \`allowLoopback\` from \`fetch\` of \`privateKeyJwt()\`.
ssrf-request-uri | RFC 9101 §10.4, CVE-2020-10770 (Keycloak) | code, requestObjects(), new clients | Lets the server fetch a request object from its own network. | | Set \`byReference: false\` of \`requestObjects()\`, or remove \`allowLoopback\`.
ssrf-client-id | draft-ietf-oauth-client-id-metadata-document §6 | user, /authorize | Lets the server fetch client metadata from its own network. | | Remove \`allowLoopback\` from \`clientIdDocuments()\` or \`mcp()\`.
ssrf-logo | RFC 7591 §5 | code, new clients | Lets the server fetch a logo from its own network. | | Remove \`allowLoopback\` from \`clientLogos\` of \`pages()\`.
ssrf-registration | RFC 7591 §5 | /registration | Lets the server fetch a URL of registered metadata from its own network. | | Remove \`allowLoopback\` from the features that fetch URLs of clients.
registration-script | RFC 7591 §5, CVE-2023-6134 (Keycloak) | /registration | Registers a redirect URI that runs a script. | | Do not register clients in your own code: use \`registration()\`.
registration-scope | RFC 7591 §5 | /registration | Registers a scope that the server does not offer. | a client registered a scope that the server does not offer | List only harmless scopes in \`scopes\` of \`registration()\`.
registration-grants | RFC 7591 §2.1 | /registration | Registers a public client with grants that need no user. | a public client registered grants without users | List only \`authorization_code\` and \`refresh_token\` in \`grants\` of \`registration()\`.
registration-overwrite | RFC 7591 §3.2.1 | code, /registration | Registers a client with the ID of an existing one. | a registration replaced an existing client | Reject an existing ID in \`saveRegistration()\`.
registration-other-client | RFC 7592 §3 | /registration, new clients | Reads the registration of another client. | a client read the registration of another client | Compare the registration access token with the client in \`getRegistration()\`.
device-without-consent | RFC 8628 §3.5 | code, device code, /device, new clients | Polls for tokens before the user allows access. | a device got tokens before the user allowed access | Return the decision of the user from \`getDeviceAuthorization()\`.
device-other-client | RFC 8628 §3.4 | code, device code, /device, new clients | Redeems the device code of another client. | a client redeemed the device code of another client | Return the client of a device code from \`getDeviceAuthorization()\`.
device-replay | RFC 8628 §3.5 | code, device code, /device, new clients | Redeems a device code twice. | a device code was redeemed twice | Consume the device code in one atomic operation of the model.
device-link | RFC 8628 §3.3.1, §5.4 | code, device code, /device, new clients | Connects the device of the attacker with a link. | a link to the page for devices was enough | Let the user confirm the code, also if the URL contains it.
csrf-device | RFC 8628 §5.4 | code, device code, /device, new clients | Connects the device of the attacker with a form on another site. | the form was accepted without its CSRF token | Put a CSRF token that is bound to the session into a hidden field of the form, and verify it.
device-expired | RFC 8628 §3.5 | code, device code, /device, new clients, clock | Redeems a device code one day later. | a device code of yesterday was redeemed | Return the \`expiresAt\` of a device code that was saved.
device-code-guessing | RFC 8628 §5.1, §5.2 | code, device code, /device, new clients | Guesses device codes and user codes. | | Do not replace the codes of \`deviceAuthorization()\`.
race-device-code | RFC 8628 §3.5 | code, device code, /device, new clients | Redeems one device code many times at once. | | Consume the device code in one atomic operation of the model.
exchange-wider-scope | RFC 8693 §5 | code, urn:ietf:params:oauth:grant-type:token-exchange, new clients | Exchanges a token for one with a wider scope. | a token was exchanged for one with a wider scope | Do not widen scopes in your own code: use \`tokenExchange()\`.
exchange-other-grant | RFC 8693 §5 | code, urn:ietf:params:oauth:grant-type:token-exchange, new clients | Exchanges a stolen token with a client that does not have the grant. | a client without the grant exchanged a stolen token | Return the \`grants\` of a client exactly as registered from \`getClient()\`.
exchange-forged-token | RFC 8693 §2.1, RFC 8725 §2.1 | code, urn:ietf:params:oauth:grant-type:token-exchange, new clients | Exchanges a JWT without a signature. | an unsigned JWT was accepted as subject token | Verify foreign tokens completely in \`verifySubjectToken()\`, or remove the method.
exchange-unknown-resource | RFC 8693 §2.1 | code, urn:ietf:params:oauth:grant-type:token-exchange, new clients | Exchanges a token for one for the server of the attacker. | a token was exchanged for one that an unknown server may use | List only your own APIs in \`resources\` of \`resourceIndicators()\`.
exchange-expired-token | RFC 8693 §2.1 | code, urn:ietf:params:oauth:grant-type:token-exchange, new clients, clock | Exchanges a token one month later. | an expired token was exchanged | Return the expiry of a token that was saved from \`getAccessToken()\`.
mtls-no-certificate | RFC 8705 §2 | client_credentials, mutualTls(), new clients | Names a client that has a certificate, without one. | a client was accepted without its certificate | Let \`getClient()\` return \`tokenEndpointAuthMethod\` as registered.
mtls-secret-instead | RFC 8705 §2 | client_credentials, mutualTls(), new clients | Authenticates with a secret as a client that has a certificate. | a client with a certificate was accepted with a secret | "
mtls-unbound-token | RFC 8705 §3 | client_credentials, mutualTls(), new clients | Requests a token without a certificate as a client that requires bound tokens. | a client that requires bound tokens got one without its certificate | Return \`tlsClientCertificateBoundAccessTokens\` as registered from \`getClient()\`.
ciba-without-approval | CIBA Core 1.0 §11 | login page, /backchannel_authentication, new clients | Polls for tokens before the user approves the request. | a client got tokens before the user approved the request | Return the decision of the user as it was saved from your model.
ciba-other-client | CIBA Core 1.0 §10.1 | login page, /backchannel_authentication, new clients | Polls the request of another client. | a client polled the request of another client | Return the client of a request as it was saved from your model.
ciba-unauthenticated | CIBA Core 1.0 §7.1 | login page, /backchannel_authentication, new clients | Sends a request to a user without client authentication. | a request was sent to a user without client authentication | Do not wrap the endpoint in your own code: use \`ciba()\`.
logout-by-link | RP-Initiated Logout 1.0 §2 | login page, authorization_code, /logout | Signs a user out with a link on another site. | a link signed the user out without a question | Ask the user, and verify the CSRF token of the form: use the page of \`pages()\`.
logout-other-client | RP-Initiated Logout 1.0 §3 | user, authorization_code, /logout, openid(), new clients | Sends a user after signing out to a URI of another client. | signing out continued at a URI of another client | Compare \`post_logout_redirect_uri\` with the client of the request only.
tenant-code | RFC 9700 §4.4 | code, tenants | Redeems the code of one tenant at another. | another tenant redeemed the code | Store the \`issuer\` of codes and tokens, and give each tenant its own issuer.
tenant-refresh-token | RFC 9700 §4.4 | code, refresh_token, tenants | Uses the refresh token of one tenant at another. | another tenant accepted the refresh token | "
tenant-client | RFC 7591 §3 | client_credentials, tenants, new clients | Uses a client of one tenant at another. | another tenant accepted the client | Set \`issuer\` of clients, or give each tenant its own model.
tenant-access-token | RFC 9068 §5 | code, tenants, guarded route | Uses the access token of one tenant at another. | the guarded route of another tenant accepted the token | Return the \`issuer\` of access tokens from \`getAccessToken()\`.
tenant-session | RFC 9700 §4.4 | login page, authorization_code, tenants | Uses the session of one tenant at another. | | Bind the sessions of your own pages to the tenant.
race-code | RFC 6749 §4.1.2 | code | Redeems one authorization code many times at once. | | Consume single-use values in one atomic statement, such as \`DELETE … RETURNING\` or an update of the unused row.
race-refresh | RFC 9700 §4.14.2 | code, refresh_token | Uses one refresh token many times at once. | | "
race-consent | RFC 6819 §4.4.1.10 | code, new clients | Sends one consent form many times at once. | | Implement \`once()\` of the model with one atomic insert.
race-pushed-request | RFC 9126 §4 | code, /pushed_authorization_request | Opens one pushed authorization request many times at once. | | Consume single-use values in one atomic statement, such as \`DELETE … RETURNING\` or an update of the unused row.
race-assertion | RFC 7523 §3 (7) | privateKeyJwt(), client_credentials, new clients | Uses one client assertion many times at once. | | Implement \`once()\` of the model with one atomic insert.
race-dpop-proof | RFC 9449 §11.1 | dpop(), client_credentials | Uses one DPoP proof many times at once. | | "
flood-large-form | OWASP API4:2023 | /token | Sends a form of five megabytes to the token endpoint. | | Keep the body limits of the platform, and do not parse bodies before the limit applies.
flood-many-parameters | OWASP API4:2023 | /token | Sends a form with fifty thousand parameters. | | "
flood-nested-form | CVE-2022-24999 (qs) | /token | Sends deeply nested parameters and parameters that change objects. | | Parse forms without nested objects: \`express.urlencoded({ extended: false })\`.
flood-secrets | RFC 6749 §10.14 | /token | Sends many wrong client secrets at once, so that hashes keep the server busy. | | Create client secrets at random, with \`OAuth2Clients.create()\`, so that they need no slow hash.
flood-pushed-requests | RFC 9126 §7.1 | /pushed_authorization_request, user | Fills the store with pushed authorization requests without client authentication. | a request of a confidential client was stored without credentials | Require client authentication at the endpoint of pushed requests.
flood-user-codes | RFC 8628 §5.1 | /device, user | Guesses the code of a device without limit. | | Keep the page of \`pages({ devices: true })\`, or count guesses in your own.
`;

/** The texts of all attacks. */
export const CATALOG: readonly AttackText[] = [TABLE, ACCOUNT_TABLE]
  .flatMap((table) => table.trim().split('\n'))
  .reduce<AttackText[]>((texts, row) => {
    const [id, source, needs, title, finding, remedy] = row.split('|').map((cell) => cell.trim()) as Row;
    const above = texts.at(-1);
    texts.push({
      id,
      source,
      needs: needs.split(', '),
      title,
      finding: finding === '"' ? above!.finding : finding,
      remedy: remedy === '"' ? above!.remedy : remedy,
    });
    return texts;
  }, []);

type Row = [id: string, source: string, needs: string, title: string, finding: string, remedy: string];
