import type { ClaimPath } from './claim-rules.js';
import type { ClaimRules } from './settings.js';

/**
 * Returns the claim rules for access tokens of Keycloak:
 * `new JwtTokens({ issuer, audience, ...keycloak({ client: 'my-api' }) })`. Roles are the realm roles and, if `client`
 * is set, the roles of that client. ID tokens and refresh tokens of Keycloak are rejected because of their claim `typ`.
 * Tested against Keycloak 26.
 */
export function keycloak({ client }: { client?: string } = {}): ClaimRules {
  const clientRoles: ClaimPath[] = client === undefined ? [] : [['resource_access', client, 'roles']];
  return {
    typ: ['JWT', 'at+jwt'],
    requiredClaims: ['iss', 'exp', 'aud', 'sub', 'azp'],
    clientIdClaims: ['azp'],
    rolesClaims: [['realm_access', 'roles'], ...clientRoles],
    tokenUse: { claim: 'typ', values: ['Bearer', 'DPoP'] },
    // A user may have a name like that of a service account, but only tokens of service accounts contain the claim with
    // the client ID.
    isClientCredentials: ({ preferred_username: name, azp, client_id: id, clientId = id }) =>
      typeof azp === 'string' && clientId === azp && name === `service-account-${azp.toLowerCase()}`,
  };
}

/**
 * Returns the claim rules for access tokens of Auth0, in its default profile and in its RFC 9068 profile. Auth0 puts
 * the permissions of a user into the claim `permissions`. To use roles, add a claim with an Action and pass its name as
 * `rolesClaim`. Based on documentation, not tested against Auth0.
 */
export function auth0({ rolesClaim = 'permissions' }: { rolesClaim?: string } = {}): ClaimRules {
  return {
    typ: ['JWT', 'at+jwt'],
    requiredClaims: ['iss', 'exp', 'aud', 'sub'],
    clientIdClaims: ['azp', 'client_id'],
    rolesClaims: [rolesClaim],
    // The `aud` of an ID token is the client, so the option `audience` rejects ID tokens.
    // The `sub` of a user may end with `@clients` too: an enterprise or custom database connection can choose it.
    isClientCredentials: ({ gty, sub, azp, client_id: clientId = azp }) =>
      gty === 'client-credentials' || (clientId !== undefined && sub === `${String(clientId)}@clients`),
  };
}

/**
 * Returns the claim rules for access tokens of Microsoft Entra ID, versions 1.0 and 2.0. ID tokens are rejected because
 * they contain no client application (`azp`, `appid`). Based on documentation, not tested against Entra ID.
 */
export function entra(): ClaimRules {
  return {
    typ: ['JWT', 'at+jwt'],
    requiredClaims: ['iss', 'exp', 'aud', 'sub'],
    clientIdClaims: ['azp', 'appid'],
    scopeClaims: ['scp'],
    rolesClaims: ['roles'],
    isClientCredentials: ({ idtyp, scp, oid, sub }) =>
      idtyp === 'app' || (idtyp === undefined && scp === undefined && oid !== undefined && oid === sub),
  };
}

/**
 * Returns the claim rules for access tokens of Amazon Cognito. These tokens have no `aud`, so pass the IDs of your app
 * clients as `audience`. Based on documentation, not tested against Cognito.
 */
export function cognito(): ClaimRules {
  return {
    typ: ['JWT', 'at+jwt', null],
    requiredClaims: ['iss', 'exp', 'sub', 'client_id', 'token_use'],
    audienceClaims: ['aud', 'client_id'],
    clientIdClaims: ['client_id'],
    rolesClaims: ['cognito:groups'],
    tokenUse: { claim: 'token_use', values: ['access'] },
  };
}
