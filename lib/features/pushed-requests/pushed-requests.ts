import { hash } from 'node:crypto';

import { REQUIRE_PUSHED_AUTHORIZATION_REQUESTS } from '../../clients/registration/client-fields.js';
import { PUBLIC_CLIENT_RATE } from '../../clients/public-client-rate.js';
import { InvalidRequestError } from '../../errors/index.js';
import type { Feature, ServerContext } from '../../contracts/feature.js';
import { DEVICE_RESPONSE_TYPE } from '../../contracts/response-type.js';
import type { ResolvedRequest } from '../../contracts/resolved-request.js';
import { FORM_OR_URL, optional, required } from '../../http/parameters.js';
import type { Request } from '../../http/request.js';
import { isVSCHAR } from '../../http/syntax.js';
import { hasOnce } from '../../model/has-once.js';
import type { Model, OnceModel } from '../../model/model.js';
import { isPushedRequestUri, PUSHED_REQUEST_URI_PREFIX } from '../../endpoints/authorization/pushed-request-uri.js';
import { isOfIssuer } from '../../tokens/issuer.js';
import { isExpired } from '../../tokens/lifetime.js';
import type { RequestRate } from '../../limits/memory-counts.js';
import { type OptionRows, optionTable } from '../../options/option-table.js';
import { ANY, secondsFrom } from '../../options/value-checks.js';
import { PushEndpoint } from './push-endpoint.js';
import { PUSHED_REQUESTS } from './push-requirements.js';
import { asRequest } from './pushed-parameters.js';
import type { PushedRequest, PushedRequestModel } from './pushed-request.js';

/** The options of `pushedRequests()`. */
export interface PushedRequestOptions {
  /**
   * Whether all authorization requests must be pushed. If `false`, only those of clients with
   * `requirePushedAuthorizationRequests`. Default: `false`. RFC 9126 §4
   */
  required?: boolean;
  /** Seconds in which the browser must open a pushed request. Default: `60`. */
  lifetime?: number;
  /**
   * Seconds for which an opened request is stored after `lifetime`, since a login takes time and pages are reloaded.
   * Default: `1800`.
   */
  interactionLifetime?: number;
  /**
   * How many requests public and self-registered clients may push from one network (an IPv4 address or an IPv6 /64), in
   * one process. `false`: any number. Further requests get 429 with `Retry-After`. Default:
   * `{ requests: 600, per: 60 }`.
   */
  rate?: RequestRate | false;
}

type PushedModel = Model & PushedRequestModel & OnceModel;

const REQUIRES: readonly (keyof (PushedRequestModel & OnceModel))[] = [
  'savePushedRequest',
  'getPushedRequest',
  'revokePushedRequest',
  'once',
];

/**
 * Lets clients send authorization requests to the server directly, where they are validated at once. The browser then
 * sends only a `request_uri`. RFC 9126
 */
export function pushedRequests(options: PushedRequestOptions = {}): Feature {
  const { required: isRequired, lifetime, interactionLifetime, rate } = OPTIONS.settle(options);
  const requestsInValidation = new WeakSet<Request>();

  return {
    id: 'pushedRequests',
    specification: 'RFC 9126',
    requires: REQUIRES,
    endpoints: {
      pushed_authorization_request: {
        path: 'oauth/par',
        methods: ['POST'],
        metadata: 'pushed_authorization_request_endpoint',
        cors: true,
        description: {
          summary: 'Stores an authorization request, and returns its request_uri. RFC 9126',
          clients: 'all',
          sameParametersAs: 'authorize',
          required: ['response_type'],
          response: { request_uri: { type: 'string' }, expires_in: { type: 'integer' } },
        },
        make: (server) => new PushEndpoint(server, { lifetime, interactionLifetime, requestsInValidation, rate }),
      },
    },
    parameters: { authorize: { request_uri: 'The request_uri of a pushed request, instead of its parameters.' } },
    install(builder) {
      builder.contribute(PUSHED_REQUESTS, { required: isRequired, lifetime });
      return {
        metadata: () => ({ require_pushed_authorization_requests: isRequired }),
        *misconfigurations({ options: { model } }) {
          yield* OPTIONS.findErrors(options);
          if (!hasOnce(model)) {
            yield `${FEATURE} requires a model with \`once()\`, called as \`once(digest, seconds)\`. \`EventEmitter.prototype.once\` does not count`;
          }
        },

        authorization: {
          async resolve(request) {
            if (requestsInValidation.has(request)) return undefined;
            const requestUri = optional(request, 'request_uri', isVSCHAR, FORM_OR_URL);
            // A `request_uri` of another form is the URL of a request object, which another feature fetches.
            if (requestUri === undefined || !isPushedRequestUri(requestUri)) return undefined;
            return await findPushedRequest(request, requestUri, builder.server);
          },

          read(parameters, { client, responseType }) {
            // A device sends its request directly, without a browser.
            if (responseType === DEVICE_RESPONSE_TYPE) return;
            // Here, only a pushed request still has this parameter.
            if (parameters.optional('request_uri') !== undefined) return;
            if (!isRequired && !REQUIRE_PUSHED_AUTHORIZATION_REQUESTS.of(client)) return;
            const reason = isRequired
              ? 'the option `required` of `pushedRequests()` requires pushed authorization requests'
              : 'client is registered with `require_pushed_authorization_requests`';
            throw new InvalidRequestError('Invalid request: authorization requests must be pushed (RFC 9126)').because({
              reason,
            });
          },
        },
      };
    },
  };
}

/**
 * Finds a pushed request of the client in the parameter `client_id`, and records that it was opened. Errors are
 * rendered in the browser.
 * @throws {InvalidRequestError} If the request is unknown, expired, used, or of another client or issuer.
 */
async function findPushedRequest(
  request: Request,
  requestUri: string,
  server: ServerContext,
): Promise<ResolvedRequest> {
  const model = server.options.model as PushedModel;
  const clientId = required(request, 'client_id', isVSCHAR, FORM_OR_URL);
  const pushed = isRequestUri(requestUri) && (await model.getPushedRequest(requestUri));
  if (!pushed) throw invalidRequestUri('`request_uri` is unknown, expired or already used');
  if (pushed.clientId !== clientId) throw invalidRequestUri('request was pushed by another client');
  if (!isOfIssuer(pushed, server.issuerOf(request))) throw invalidRequestUri('request was pushed to another issuer');
  if (isExpired(pushed.expiresAt)) throw invalidRequestUri('pushed request has expired');
  await openInTime(pushed, model);
  return { request: asRequest(pushed, request), consume: () => model.revokePushedRequest(pushed) };
}

/**
 * Verifies that the browser first opens a pushed request in time. It may open it again later, for example after a
 * login. RFC 9126 §4
 * @throws {InvalidRequestError} If it is too late.
 */
async function openInTime(pushed: PushedRequest, model: PushedModel): Promise<void> {
  if (model.openPushedRequest) return void (await model.openPushedRequest(pushed));
  const left = Math.ceil((pushed.expiresAt.getTime() - Date.now()) / 1000);
  const isFirst = await model.once(hash('sha256', `opened ${pushed.requestUri}`, 'base64url'), left + LEEWAY);
  if (!isFirst || !isExpired(pushed.openUntil)) return;
  // `once()` has recorded the request as opened, so a second attempt would succeed.
  await model.revokePushedRequest(pushed);
  throw invalidRequestUri('pushed request was not opened in time');
}

/** Seconds after expiry for which an opened request is remembered, to tolerate clock skew. */
const LEEWAY = 600;

const isRequestUri = (uri: string) => /^[\da-f]{64}$/.test(uri.slice(PUSHED_REQUEST_URI_PREFIX.length));

const invalidRequestUri = (reason: string) =>
  new InvalidRequestError('Invalid request: `request_uri` is unknown, expired or already used').because({ reason });

const FEATURE = '`pushedRequests()`';
const OPTIONS = optionTable(FEATURE, {
  required: { check: ANY, default: false },
  lifetime: { check: secondsFrom(1, 86_400), default: 60 },
  interactionLifetime: { check: secondsFrom(1, 86_400), default: 1800 },
  rate: { check: PUBLIC_CLIENT_RATE, default: { requests: 600, per: 60 } },
} satisfies OptionRows<PushedRequestOptions>);
