import { hash } from 'node:crypto';

import { REQUIRE_PUSHED_AUTHORIZATION_REQUESTS } from '../../clients/registration/client-fields.js';
import { findRateError } from '../../clients/public-client-rate.js';
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
import type { RequestRate } from '../../http/window-counts.js';
import { findUnknownOption } from '../../options/unknown-option.js';
import { PushEndpoint } from './push-endpoint.js';
import { PUSHED_REQUESTS } from './push-requirements.js';
import { asRequest } from './pushed-parameters.js';
import type { PushedRequest, PushedRequestModel } from './pushed-request.js';

/** Options of `pushedRequests`. */
export interface PushedRequestOptions {
  /**
   * Must all authorization requests be pushed? Default: false, those of clients with `requirePushedAuthorizationRequests`.
   * RFC 9126 §4
   */
  required?: boolean;
  /** Seconds in which the browser must come with a request that was pushed. Default: 60 */
  lifetime?: number;
  /** Seconds that a request is kept for which came in time: a login takes its time, and pages are reloaded. Default: 1800 */
  interactionLifetime?: number;
  /**
   * How many requests public and self-registered clients may push from one network (an IPv4 address or an IPv6 /64), in one process;
   * `false`: any number. Further requests get 429 with `Retry-After`. Default: `{ requests: 600, per: 60 }`
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

/** Clients hand in their authorization requests themselves, checked at once, and browsers bring no more than a name. RFC 9126 */
export function pushedRequests(options: PushedRequestOptions = {}): Feature {
  const { required: isRequired = false, lifetime = 60, interactionLifetime = 1800, rate = RATE } = options;
  const underCheck = new WeakSet<Request>();

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
          summary: 'Takes an authorization request, and gives it a name. RFC 9126',
          clients: 'all',
          sameParametersAs: 'authorize',
          required: ['response_type'],
          response: { request_uri: { type: 'string' }, expires_in: { type: 'integer' } },
        },
        make: (server) =>
          new PushEndpoint(server, { lifetime, interactionLifetime, requestsInValidation: underCheck, rate }),
      },
    },
    parameters: { authorize: { request_uri: 'The name of a pushed request, in place of its parameters.' } },
    install(builder) {
      builder.contribute(PUSHED_REQUESTS, { required: isRequired, lifetime });
      return {
        metadata: () => ({ require_pushed_authorization_requests: isRequired }),
        misconfigurations: ({ options: { model } }) => [
          ...[findUnknownOption(options, NAMES, '`pushedRequests()`') ?? []].flat(),
          ...[findRateError(options.rate, '`pushedRequests()`') ?? []].flat(),
          ...configurationErrors({ lifetime, interactionLifetime }, model as PushedModel),
        ],

        authorization: {
          async resolve(request) {
            if (underCheck.has(request)) return undefined;
            const requestUri = optional(request, 'request_uri', isVSCHAR, FORM_OR_URL);
            // A `request_uri` of another form is the URL of a request object, which another feature fetches.
            if (requestUri === undefined || !isPushedRequestUri(requestUri)) return undefined;
            return await findPushedRequest(request, requestUri, builder.server);
          },

          read(parameters, { client, responseType }) {
            // A device sends its request itself, without a browser.
            if (responseType === DEVICE_RESPONSE_TYPE) return;
            // Only a request that was pushed still has this parameter here.
            if (parameters.optional('request_uri') !== undefined) return;
            if (!isRequired && !REQUIRE_PUSHED_AUTHORIZATION_REQUESTS.of(client)) return;
            const reason = isRequired ? 'every authorization request is pushed' : 'this client pushes its requests';
            throw new InvalidRequestError('Invalid request: it must be pushed, see RFC 9126').because({ reason });
          },
        },
      };
    },
  };
}

/** The request that was pushed, for the client it is of. @throws InvalidRequestError, which the browser is told */
async function findPushedRequest(
  request: Request,
  requestUri: string,
  server: ServerContext,
): Promise<ResolvedRequest> {
  const model = server.options.model as PushedModel;
  const clientId = required(request, 'client_id', isVSCHAR, FORM_OR_URL);
  const pushed = isRequestUri(requestUri) && (await model.getPushedRequest(requestUri));
  if (!pushed) throw invalidRequestUri('it is known, and was not answered yet');
  if (pushed.clientId !== clientId) throw invalidRequestUri('it was pushed by the client that brings it');
  if (!isOfIssuer(pushed, server.issuerOf(request)))
    throw invalidRequestUri('it was pushed to the issuer that is asked');
  if (isExpired(pushed.expiresAt)) throw invalidRequestUri('it is not over');
  await openInTime(pushed, model);
  return { request: asRequest(pushed, request), consume: () => model.revokePushedRequest(pushed) };
}

/** Verifies that a browser opens the request in time. Later visits, for example after the login, may come later. RFC 9126 §4 */
async function openInTime(pushed: PushedRequest, model: PushedModel): Promise<void> {
  if (model.openPushedRequest) return void (await model.openPushedRequest(pushed));
  const left = Math.ceil((pushed.expiresAt.getTime() - Date.now()) / 1000);
  const isFirst = await model.once(hash('sha256', `opened ${pushed.requestUri}`, 'base64url'), left + LEEWAY);
  if (!isFirst || !isExpired(pushed.openUntil)) return;
  // From now on it is known as opened, so it has to go.
  await model.revokePushedRequest(pushed);
  throw invalidRequestUri('it is opened in time');
}

/** Seconds for which it is remembered longer than the request that it was opened: clocks differ. */
const LEEWAY = 600;

const isRequestUri = (uri: string) => /^[\da-f]{64}$/.test(uri.slice(PUSHED_REQUEST_URI_PREFIX.length));

const invalidRequestUri = (reason: string) =>
  new InvalidRequestError('Invalid request: `request_uri` is unknown, over or used').because({ reason });

const NAMES = { required: true, lifetime: true, interactionLifetime: true, rate: true } as const;
const RATE: RequestRate = { requests: 600, per: 60 };

function* configurationErrors(
  lifetimes: Record<'lifetime' | 'interactionLifetime', unknown>,
  model: PushedModel,
): Iterable<string> {
  for (const [name, seconds] of Object.entries(lifetimes)) {
    const isLifetime = typeof seconds === 'number' && seconds >= 1 && seconds <= MAX_SECONDS;
    if (!isLifetime) yield `\`${name}\` of \`pushedRequests\` is a number of seconds, from 1 to ${MAX_SECONDS}`;
  }
  if (!hasOnce(model)) {
    yield '`pushedRequests` needs a model that implements `once()`: that of an event emitter is another';
  }
}

const MAX_SECONDS = 86_400;
