import { InvalidRequestError, RequestUriNotSupportedError } from '../../errors/index.js';
import type { Feature, ServerBuilder, ServerContext } from '../../contracts/feature.js';
import type { AuthorizationHooks } from '../../contracts/hooks.js';
import type { ClientField } from '../../contracts/client-field.js';
import * as fields from './client-fields.js';
import { requesterNetwork } from '../../http/network.js';
import { FORM_OR_URL, optional, required } from '../../http/parameters.js';
import type { Request } from '../../http/request.js';
import { isVSCHAR } from '../../http/syntax.js';
import type { CoreClient } from '../../model/model.js';
import { findClient } from '../../endpoints/authorization/destination.js';
import { isPushedRequestUri } from '../../endpoints/authorization/pushed-request-uri.js';
import type { ResolvedRequest } from '../../contracts/resolved-request.js';
import { DEVICE_RESPONSE_TYPE } from '../../contracts/response-type.js';
import { CLOCK_TOLERANCES } from '../clock-tolerances.js';
import { DECRYPTION } from '../decryption/decryption-requirements.js';
import { acceptedKeyAlgorithms, verifyRegistration } from './encrypted-objects.js';
import { ObjectFetch } from './object-fetch.js';
import { objectRequest } from './object-parameters.js';
import { ObjectVerifier } from './object-verifier.js';
import { SIGNED_REQUESTS } from './signed-requests.js';
import { findConfigurationErrors, type RequestObjectOptions, type RequestObjectSettings, settle } from './options.js';

/**
 * Accepts authorization requests that clients have signed (request objects): in the parameter `request`, at a
 * registered `request_uri`, or in a pushed authorization request. Other parameters in the URL are ignored, except
 * `client_id`. RFC 9101
 * @throws {InvalidArgumentError} If an option is invalid.
 */
export function requestObjects(options: RequestObjectOptions = {}): Feature {
  const settings = settle(options);
  const { byReference, encrypted, interactionLifetime } = settings;
  // Servers that share the feature share the keys of clients and the limits on fetching.
  const sources: Sources = { verifier: new ObjectVerifier(settings), objects: new ObjectFetch(settings.fetch) };

  return {
    id: 'requestObjects',
    specification: 'RFC 9101',
    parameters: {
      authorize: {
        request: 'The authorization request as a request object: a JWT that the client has signed.',
        ...(byReference && { request_uri: REFERENCE }),
      },
    },

    install(builder) {
      const { clockTolerance, maxLifetime, required: isRequired } = settings;
      builder.contribute(SIGNED_REQUESTS, { endpoint: 'authorize', required: isRequired, maxLifetime });
      builder.contribute(CLOCK_TOLERANCES, { feature: '`requestObjects()`', seconds: clockTolerance });
      if (encrypted) {
        builder.contribute(DECRYPTION, { algorithms: encrypted.algorithms, lifetime: interactionLifetime });
      }
      return {
        clientFields: clientFields(settings, sources.objects),
        ...(encrypted && { client: { verifyMetadata: (metadata) => verifyRegistration(metadata, encrypted) } }),
        authorization: authorizationHooks(settings, sources, builder),
        pushedRequest: {
          /** A pushed request is stored without its signature, so verify now that it is signed if it must be. */
          complete({ client, request }) {
            if (mustBeSigned(client, settings) && !request.body?.request) throw unsigned();
          },
        },
        metadata: () => metadataOf(settings, builder.server),
        misconfigurations: (server) => findConfigurationErrors(server, settings),
      };
    },
  };
}

/** The verifier of request objects, and the fetcher of those that are sent by reference. */
interface Sources {
  readonly verifier: ObjectVerifier;
  readonly objects: ObjectFetch;
}

function authorizationHooks(
  settings: RequestObjectSettings,
  { verifier, objects }: Sources,
  builder: Pick<ServerBuilder, 'server'>,
): AuthorizationHooks {
  const signed = new WeakSet<Request>();
  return {
    async resolve(request): Promise<ResolvedRequest | undefined> {
      const { server } = builder;
      const requestObject = optional(request, 'request', isVSCHAR, FORM_OR_URL);
      const requestUri = optional(request, 'request_uri', isVSCHAR, FORM_OR_URL);
      const uri = requestUri === undefined || isPushedRequestUri(requestUri) ? undefined : requestUri;
      if (requestObject === undefined && uri === undefined) return undefined;
      if (requestObject !== undefined && uri !== undefined) throw new InvalidRequestError(BOTH);
      if (uri !== undefined && !settings.byReference) throw new RequestUriNotSupportedError(NOT_FETCHED);
      const clientId = required(request, 'client_id', isVSCHAR, FORM_OR_URL);
      const client = await findClient(clientId, server.options.model, server, request);
      const object = requestObject ?? (await objects.read(uri!, client, requesterNetwork(request)));
      const claims = await verifier.verify(object, client, clientId, { request, server });
      const resolved = objectRequest(claims, clientId, request);
      const consume = verifier.prepareConsumption(claims, client, server);
      signed.add(resolved);
      return { request: resolved, ...(consume && { consume }) };
    },

    read(parameters, { client, request, responseType }) {
      // A device authorization request needs no signature: its sender authenticates as the client.
      if (!mustBeSigned(client, settings) || responseType === DEVICE_RESPONSE_TYPE || signed.has(request)) return;
      if (!isPushed(parameters.optional('request_uri'), builder.server)) throw unsigned();
    },
  };
}

/** Returns the client fields of request objects. Their validators accept what these settings support. */
const clientFields = (
  { algorithms, byReference, encrypted }: RequestObjectSettings,
  objects: ObjectFetch,
): readonly ClientField<string, unknown, ServerContext>[] => [
  fields.REQUEST_OBJECT_SIGNING_ALG.restrict((alg) => algorithms.some((one) => one === alg)),
  fields.REQUIRE_SIGNED_REQUEST_OBJECT,
  ...(byReference ? [fields.REQUEST_URIS.restrict(objects.areFetchable)] : []),
  ...(encrypted
    ? [
        fields.REQUEST_OBJECT_ENCRYPTION_ALG.restrict((alg, server: ServerContext) =>
          acceptedKeyAlgorithms(server, encrypted).some((one) => one === alg),
        ),
        fields.REQUEST_OBJECT_ENCRYPTION_ENC.restrict((enc) => encrypted.contentEncryption.some((one) => one === enc)),
      ]
    : []),
];

/**
 * Whether the authorization requests of a client must be signed: the option `required` is set, or the client has
 * registered it. RFC 9101 §10.5
 */
const mustBeSigned = (client: CoreClient, { required: isRequired }: RequestObjectSettings) =>
  isRequired || fields.REQUIRE_SIGNED_REQUEST_OBJECT.of(client) === true;

const metadataOf = (
  { algorithms, byReference, encrypted, required: isRequired }: RequestObjectSettings,
  server: ServerContext,
) => ({
  request_parameter_supported: true,
  request_uri_parameter_supported: byReference,
  ...(byReference && { require_request_uri_registration: true }),
  request_object_signing_alg_values_supported: algorithms,
  require_signed_request_object: isRequired,
  ...(encrypted && {
    request_object_encryption_alg_values_supported: acceptedKeyAlgorithms(server, encrypted),
    request_object_encryption_enc_values_supported: encrypted.contentEncryption,
  }),
});

/**
 * Whether a `request_uri` refers to a pushed authorization request of this server. Any other one is resolved or
 * rejected before the parameters are read.
 */
const isPushed = (uri: string | undefined, { endpoints }: ServerContext): boolean =>
  uri !== undefined && isPushedRequestUri(uri) && endpoints.has('pushed_authorization_request');

const unsigned = () =>
  new InvalidRequestError('Invalid request: the authorization request must be signed (RFC 9101)').because({
    reason: 'authorization request is not signed, but the server or the client requires it',
  });

const REFERENCE = 'The URI of a request object that the client has registered.';
const BOTH = 'Invalid request: `request` and `request_uri` must not be sent together';
const NOT_FETCHED = 'Request URI not supported: this server does not fetch `request_uri`';
