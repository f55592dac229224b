import { clientSecretBasic } from '../clients/client-secret-basic.js';
import { clientSecretPost } from '../clients/client-secret-post.js';
import { none } from '../clients/none.js';
import { AuthorizeEndpoint } from '../endpoints/authorization/authorize-endpoint.js';
import { TokenEndpoint } from '../endpoints/token/token.js';
import type { ClientAuthentication } from '../contracts/client-authentication.js';
import type { Endpoint, Feature } from '../contracts/feature.js';
import {
  CODE_PARAMETERS,
  PARAMETERS,
  PASSWORD_PARAMETERS,
  REFRESH_PARAMETERS,
  TOKEN_RESPONSE,
} from './classic-parameters.js';
import { fragment, query } from '../endpoints/authorization/redirects.js';
import { codeGrant } from './authorization-code/code-grant.js';
import { codeResponse } from './authorization-code/code-response.js';
import { clientCredentialsGrant } from './client-credentials.js';
import { tokenResponseType } from './implicit.js';
import { passwordGrant } from './password.js';
import { refreshTokenGrant } from './refresh-token.js';

/**
 * The authorization endpoint. It does not allow CORS, because only the browser's own window navigates to it, and its
 * pages contain CSRF tokens. RFC 9700 §2.6
 */
const authorize: Endpoint = {
  path: 'oauth/authorize',
  methods: ['GET', 'POST'],
  metadata: 'authorization_endpoint',
  description: {
    summary: 'Asks the user to authorize a client. RFC 6749 §3.1',
    required: ['response_type', 'client_id'],
  },
  make: (server, options = server.options) => new AuthorizeEndpoint(options, server),
};

const token: Endpoint = {
  path: 'oauth/token',
  methods: ['POST'],
  metadata: 'token_endpoint',
  clients: 'all',
  description: { summary: 'Issues tokens. RFC 6749 §3.2', required: ['grant_type'], response: TOKEN_RESPONSE },
  cors: true,
  make: (server, options = server.options) => new TokenEndpoint(options, server),
};

/** The client authentication methods that every server supports. RFC 6749 §2.3 */
export const CLASSIC_AUTHENTICATIONS: readonly ClientAuthentication[] = [clientSecretBasic, clientSecretPost, none];

/** The features of RFC 6749 and RFC 7636, which every server has. */
export const CLASSIC: readonly Feature[] = [
  {
    id: 'RFC 6749',
    endpoints: { authorize, token },
    parameters: PARAMETERS,
    install: () => ({ responseModes: { query, fragment } }),
  },
  {
    id: 'RFC 6749 §4.1',
    grantTypes: ['authorization_code'],
    parameters: CODE_PARAMETERS,
    install: () => ({
      grants: { authorization_code: codeGrant },
      responseTypes: { code: codeResponse },
    }),
  },
  { id: 'RFC 6749 §4.2', install: () => ({ responseTypes: { token: tokenResponseType } }) },
  {
    id: 'RFC 6749 §4.4',
    grantTypes: ['client_credentials'],
    install: () => ({ grants: { client_credentials: clientCredentialsGrant } }),
  },
  {
    id: 'RFC 6749 §4.3',
    grantTypes: ['password'],
    parameters: PASSWORD_PARAMETERS,
    install: () => ({ grants: { password: passwordGrant } }),
  },
  {
    id: 'RFC 6749 §6',
    grantTypes: ['refresh_token'],
    parameters: REFRESH_PARAMETERS,
    install: (builder) => ({ grants: { refresh_token: refreshTokenGrant(() => builder.server) } }),
  },
  {
    id: 'RFC 6749 §2.3',
    install: () => ({ clientAuthentications: CLASSIC_AUTHENTICATIONS }),
  },
];
