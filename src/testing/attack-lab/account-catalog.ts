/**
 * The attacks on accounts, organizations, personal access tokens, accepted login sessions and other providers. The
 * columns are those of the table in `catalog.ts`.
 */
export const ACCOUNT_TABLE = `
organization-other | OpenID Connect Core 1.0 §16.5, organizations | code, organizations | Requests a token for an organization to which the user does not belong. | Return only the organizations of the user from \`list()\` of \`organizations\`.
organization-choice | RFC 6819 §4.4.1.10 | code, organizations | Chooses an organization that the page did not offer. | "
organization-refresh | RFC 9700 §2.3 | code, refresh_token, organizations | Refreshes a token for another organization. | Keep \`org_id\` of refresh tokens: return all stored members from \`getRefreshToken()\`.
organization-left | RFC 9700 §4.14.2 | code, refresh_token, organizations, membership | Refreshes a token for an organization that the user has left. | Verify the membership in \`isMember()\` of \`organizations\` each time, without a cache.
personal-token-pages | RFC 6750 §5.3 | code, personal tokens | Opens the account page with a stolen personal access token. | Show pages of a user only to login sessions: use \`OAuth2Sessions.findUser()\` in pages of your own.
personal-token-grant | RFC 9700 §2.3 | code, /token, personal tokens | Exchanges a stolen personal access token at the token endpoint. | Do not accept personal access tokens in grants of your own or in \`verifySubjectToken()\`.
personal-token-registration | RFC 7591 §3 | code, /registration, personal tokens | Registers a client with a stolen personal access token. | Accept only access tokens of a client with the scope \`initialAccessScope\` in \`mayRegister()\`.
personal-token-creates-token | OWASP ASVS 5.0 §7.5 | code, /account, personal tokens | Creates another token with a stolen personal access token, so that a deleted one does not matter. | Create tokens only for a recent login: call \`create()\` of \`OAuth2PersonalTokens\` with the request of the page.
csrf-personal-token | RFC 9700 §4.7 | code, /account, personal tokens | Creates a token in the name of a user with a form on another site. | Put a CSRF token that is bound to the session into a hidden field of the form, and verify it.
personal-token-scope | RFC 6750 §3.1 | code, guarded route, personal tokens | Calls the guarded route with a token that does not have its scope. | Add \`@Scopes()\` to the route.
personal-token-user-scope | RFC 6749 §3.3 | code, /account, personal tokens | Creates a token with a scope that the user cannot choose. | Return only scopes of the user from \`scopes()\` of \`personalAccessTokens\`, and create tokens by \`OAuth2PersonalTokens\`.
personal-token-revoked | RFC 7009 §2 | code, guarded route, personal tokens | Uses a personal access token after its user has deleted it. | Delete the token in \`revokePersonalToken()\` of the model.
personal-token-expired | RFC 6750 §5.3 | code, guarded route, personal tokens, clock | Uses a personal access token after it has expired. | Return the \`expiresAt\` that was saved from \`findPersonalToken()\` of the model.
session-cross-site | RFC 9700 §4.7, Fetch Metadata §2.3 | code, guarded route | Calls the guarded route with the session of a user, from another site. | Let \`OAuthGuard\` accept sessions: use \`@AcceptSession()\`, and keep the headers \`Sec-Fetch-Site\` and \`Origin\` at the proxy.
session-cross-origin | RFC 6454 §7.2 | code, guarded route | Calls the guarded route with the session of a user, from another origin, in an old browser. | "
session-form | RFC 9700 §4.7 | code, guarded route | Sends a form of another page to the guarded route with the session of a user. | "
session-websocket | RFC 6455 §10.2 | code, gateway | Opens a WebSocket with the session of a user, from a page of another origin. | Guard the gateway with \`OAuthGuard\`, which verifies the origin of the handshake.
upstream-other-browser | RFC 6749 §10.12 | code, login page, provider | Signs a user in to the account of the attacker with a response of the provider. | Do not wrap the callback in your own code: use \`upstreams()\`, and keep its cookie at the proxy.
upstream-replay | RFC 9700 §4.5 | code, login page, provider | Uses a response of the provider twice. | Implement \`once()\` of the model with one atomic insert.
upstream-mix-up | RFC 9700 §4.4, RFC 9207 §2.4 | code, login page, provider | Sends the response of a malicious provider to the callback of an honest one. | Do not remove parameters of the callback at the proxy: \`upstreams()\` verifies \`iss\`.
upstream-email | OWASP account pre-hijacking, OpenID Connect Core 1.0 §5.7 | code, login page, provider | Signs in to the account of a user with a provider that has not verified the address. | Find accounts by \`iss\` and \`sub\` only: \`create()\` of the accounts must not return an existing user, and \`trustEmail\` lists only domains of the provider.
upstream-logout-replay | OpenID Connect Back-Channel Logout 1.0 §2.6 | code, login page, provider, logout token | Sends a logout token of the provider twice. | Implement \`once()\` or \`countWithin()\` of the model with one atomic operation.
upstream-logout-forged | OpenID Connect Back-Channel Logout 1.0 §2.6 | code, login page, provider, logout token | Signs users out with a forged logout token. | Do not wrap the endpoint in your own code: use \`upstreams()\`.
reset-host | OWASP WSTG-INPV-17 | code, login page, /forgot_password | Lets the server send a link to the host of the attacker to a user. | Build the links of e-mails from the issuer, not from \`Host\` or \`X-Forwarded-Host\`.
reset-other-account | OWASP ASVS 5.0 §6.4 | code, login page, other user, /forgot_password | Changes the password of a user with the link of another user. | Bind each link to one account: let \`accounts()\` change passwords, not a page of your own.
reset-twice | OWASP ASVS 5.0 §6.4 | code, login page, other user, /forgot_password | Uses the link of an e-mail twice. | Delete a link in \`removeCredential()\` of the model, for exactly one caller.
second-factor-skipped | OWASP WSTG-ATHN-11 | code, login page, second factor | Continues after the password without the second factor. | Start the session after the second factor: keep the login of \`pages()\`, or end your own login with \`finishLogin()\`.
elicitation-other-user | MCP 2026-07-28, Elicitation, Phishing | code, login page, other user, /elicitation | Lets another user complete the page of a tool. | Complete the page by \`OAuth2Elicitations.complete()\`, which verifies the user.
elicitation-twice | MCP 2026-07-28, Elicitation, Phishing | code, /elicitation | Completes the page of a tool twice, so that two calls continue. | Implement \`once()\` of the model with one atomic insert.
`;
