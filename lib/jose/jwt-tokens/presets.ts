import type { ClaimPath } from './claim-rules.js';
import type { ClaimRules } from './settings.js';

/**
 * Claim rules for access tokens of Keycloak: `new JwtTokens({ issuer, audience, ...keycloak({ client: 'my-api' }) })`. Roles
 * are those of the realm and, with `client`, of that client. Keycloak's ID tokens and refresh tokens are rejected by their
 * claim `typ`. Tested against Keycloak 26.
 */
export function keycloak({ client }: { client?: string } = {}): ClaimRules {
  const ofClient: ClaimPath[] = client === undefined ? [] : [['resource_access', client, 'roles']];
  return {
    typ: ['JWT', 'at+jwt'],
    requiredClaims: ['iss', 'exp', 'aud', 'sub', 'azp'],
    clientIdClaims: ['azp'],
    rolesClaims: [['realm_access', 'roles'], ...ofClient],
    tokenUse: { claim: 'typ', values: ['Bearer', 'DPoP'] },
    // A user may be called like a service account; only tokens of service accounts have the claim of the client id.
    isClientCredentials: ({ preferred_username: name, azp, client_id: id, clientId = id }) =>
      typeof azp === 'string' && clientId === azp && name === `service-account-${azp.toLowerCase()}`,
  };
}

/**
 * Claim rules for access tokens of Auth0, in its default profile and in that of RFC 9068. Auth0 puts the permissions of a
 * user into the claim `permissions`; roles are in a claim that an Action adds, whose name you give. From documentation, not
 * tested against Auth0.
 */
export function auth0({ rolesClaim = 'permissions' }: { rolesClaim?: string } = {}): ClaimRules {
  return {
    typ: ['JWT', 'at+jwt'],
    requiredClaims: ['iss', 'exp', 'aud', 'sub'],
    clientIdClaims: ['azp', 'client_id'],
    rolesClaims: [rolesClaim],
    // ID tokens have the client as `aud`; access tokens have the API, so that `audience` tells them apart.
    isClientCredentials: ({ gty, sub }) =>
      gty === 'client-credentials' || (typeof sub === 'string' && sub.endsWith('@clients')),
  };
}

/**
 * Claim rules for access tokens of Microsoft Entra ID, versions 1.0 and 2.0. An ID token names no client application
 * (`azp`, `appid`) and is rejected. From documentation, not tested against Entra ID.
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
 * Claim rules for access tokens of Amazon Cognito. They have no `aud`: give the ids of your app clients as `audience`. From
 * documentation, not tested against Cognito.
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
