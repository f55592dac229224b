import { TLS_CLIENT_CERTIFICATE_BOUND_ACCESS_TOKENS } from '../../clients/registration/client-fields.js';
import { InvalidGrantError, InvalidRequestError, InvalidTokenError } from '../../errors/index.js';
import type { Feature, ServerContext } from '../../contracts/feature.js';
import type { Request } from '../../http/request.js';
import type { CoreClient } from '../../model/model.js';
import { configurationError } from '../../errors/configuration-error.js';
import { boundThumbprint, verifyRetryBinding } from '../../tokens/confirmation.js';
import { constantTimeEqual } from '../../crypto/constant-time-equal.js';
import { selfSignedTlsClientAuth, tlsClientAuth } from './client-authentications.js';
import { ClientCertificates, certificateThumbprint } from './client-certificate.js';
import { findOptionError, configurationErrors, type MutualTlsOptions } from './options.js';
import { RegisteredKeys } from './registered-keys.js';

/** The member of `cnf` by which a token is bound to a certificate. RFC 8705 §3.1 */
const X5T_S256 = 'x5t#S256';

/**
 * Adds client authentication by TLS certificates, and binds tokens to them, so that a stolen token cannot be used.
 * Tokens are saved with `cnf`. Use this feature at the authorization server and at its APIs. RFC 8705
 * @throws {InvalidArgumentError} If an option is invalid.
 */
export function mutualTls(options: MutualTlsOptions = {}): Feature {
  const optionError = findOptionError(options);
  if (optionError !== undefined) throw configurationError(optionError);
  const { bind = 'registered', endpointAliases, fetch, methods, proxy } = options;
  const certificates = new ClientCertificates(proxy);
  const authentications = [
    tlsClientAuth(certificates),
    selfSignedTlsClientAuth(certificates, new RegisteredKeys(fetch)),
  ];
  const isBinding = (client: CoreClient) =>
    bind === 'all' || TLS_CLIENT_CERTIFICATE_BOUND_ACCESS_TOKENS.of(client) === true;
  /**
   * Returns `undefined` if the request has the expected certificate. Otherwise returns the thumbprint of the other
   * certificate, or why the request has no certificate.
   */
  const shownInstead = (request: Request, expected: string): string | undefined => {
    const certificate = certificates.of(request);
    if (typeof certificate === 'string') return certificate;
    const given = certificateThumbprint(certificate);
    return constantTimeEqual(given, expected) ? undefined : given;
  };
  return {
    id: 'mutualTls',
    specification: 'RFC 8705',
    settings: { bind, methods, proxy, fetch },
    install: (builder) => ({
      confirmationMethods: [X5T_S256],
      clientAuthentications: authentications.filter(({ method }) => !methods || methods.some((one) => one === method)),
      ...(endpointAliases !== undefined && { origins: [new URL(endpointAliases).origin] }),
      misconfigurations: (server) => configurationErrors(options, server),
      metadata: (issuer) => ({
        tls_client_certificate_bound_access_tokens: true,
        ...(endpointAliases !== undefined && {
          mtls_endpoint_aliases: aliasesOf(builder.server, issuer, endpointAliases),
        }),
      }),

      authorization: {
        read(_parameters, { client, responseType }) {
          if (!isBinding(client) || !responseType.split(' ').includes('token')) return;
          const reason = 'tokens of this client are bound to its certificate, which a browser does not send';
          throw new InvalidRequestError('Invalid request: the token would not be bound to a certificate').because({
            reason,
          });
        },
      },

      token: {
        admit({ client, request, tokenMembers: token }) {
          if (!isBinding(client)) return;
          const certificate = certificates.of(request);
          if (typeof certificate === 'string') {
            throw new InvalidRequestError('Invalid request: missing client certificate').because({
              reason: certificate,
            });
          }
          token['cnf'] = { ...(token['cnf'] as object | undefined), [X5T_S256]: certificateThumbprint(certificate) };
        },

        issue({ authenticationMethod, refreshToken, request }) {
          // A confidential client authenticates on each refresh, so it may have a new certificate. RFC 8705 §4, §7.1
          const expected = authenticationMethod === 'none' ? boundThumbprint(refreshToken, X5T_S256) : undefined;
          const given = expected === undefined ? undefined : shownInstead(request, expected);
          if (given === undefined) return;
          const reason = 'refresh token was sent without the certificate that it is bound to';
          const detail = { reason, expected, given };
          throw new InvalidGrantError('Invalid grant: refresh token is bound to a certificate').because(detail);
        },

        respond: (request, issued) => verifyRetryBinding(request, issued, X5T_S256),
      },

      resource: {
        verify({ request, token }) {
          const expected = boundThumbprint(token, X5T_S256);
          const given = expected === undefined ? undefined : shownInstead(request, expected);
          if (given === undefined) return;
          const detail = {
            reason: 'access token was sent without the certificate that it is bound to',
            expected,
            given,
          };
          throw new InvalidTokenError('Invalid token: access token is bound to a certificate').because(detail);
        },
      },
    }),
  };
}

/**
 * Returns the URLs, at the given origin, of the endpoints to which clients send certificates, by their names in the
 * metadata. RFC 8705 §5
 */
function aliasesOf(server: ServerContext, issuer: string | undefined, origin: string): Record<string, string> {
  const aliases: Record<string, string> = {};
  for (const [id, { clients, description, metadata }] of server.endpoints) {
    const isAsked = clients ?? description?.clients ?? metadata === 'userinfo_endpoint';
    const url = isAsked ? server.urlOf(id, issuer) : undefined;
    if (metadata && url !== undefined) aliases[metadata] = new URL(origin).origin + new URL(url).pathname;
  }
  return aliases;
}
