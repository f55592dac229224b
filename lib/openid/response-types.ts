import { InvalidRequestError, InvalidScopeError } from '../errors.js';
import { CodeResponseType } from '../features/authorization-code/code-response.js';
import { TokenResponseType } from '../features/implicit.js';
import type { OwnUrls } from '../http/own-urls.js';
import type { User } from '../model/model.js';
import type { Options } from '../options/settle.js';
import type { Answer, AuthorizationRequest, ResponseTypeClass } from '../response-types/response-type.js';
import { coversScope } from '../tokens/scope.js';
import type { TokenFormat } from '../tokens/token-format.js';
import type { FrontChannelType } from './front-channel-types.js';
import { signIdToken } from './id-token.js';
import type { Provider } from './provider.js';
import { OPENID } from './scopes.js';

/** Whose answer stands beside the ID token; of `id_token` nobody's. */
const BESIDE = { 'code id_token': CodeResponseType, id_token: undefined, 'id_token token': TokenResponseType } as const;

/**
 * Answers with an ID token, which passes through the browser: for clients that cannot do without. They need the grant `implicit`
 * too. OpenID Connect Core §3.2, §3.3
 */
export function frontChannelType(name: FrontChannelType, providerOf: (server: OwnUrls) => Provider): ResponseTypeClass {
  const Beside = BESIDE[name];
  return class IdTokenResponseType {
    static readonly grant = 'implicit';
    static readonly mode = 'fragment';
    static readonly provable = Beside === CodeResponseType;
    static readonly requires = Beside?.requires ?? [];

    constructor(
      private readonly options: Options,
      private readonly server: OwnUrls,
    ) {}

    async handle(asked: AuthorizationRequest, user: User, format?: TokenFormat): Promise<Answer> {
      const { client, scope, issuer, data: kept } = asked;
      if (!coversScope(scope, OPENID)) throw notGranted();
      const { idTokens } = providerOf(this.server);
      const entitled = { client, user, scope, issuer, kept, nonce: kept['nonce'], alone: !Beside };
      // All that can fail is done before anything is kept.
      const prepared = await idTokens.make(this.options.model, entitled);
      const beside = Beside && (await new Beside(this.options).handle(asked, user, format));
      const { code, access_token: accessToken } = (beside?.parameters ?? {}) as {
        code?: string;
        access_token?: string;
      };
      const parameters = { ...beside?.parameters, id_token: await signIdToken(prepared, { code, accessToken }) };
      return { result: { client, user, scope: scope! }, scope, ...beside, parameters };
    }
  };
}

/** An ID token that passes through the browser is bound to the session of its client. OpenID Connect Core §3.2.2.1 */
export function verifyFrontChannel(responseType: string, isOpenId: boolean, nonce: string | undefined): void {
  if (!responseType.split(' ').includes('id_token')) return;
  if (!isOpenId) throw new InvalidRequestError('Invalid request: an ID token is asked for without the scope `openid`');
  if (nonce === undefined) throw new InvalidRequestError('Missing parameter: `nonce`');
}

const notGranted = () =>
  new InvalidScopeError('Invalid scope: `openid` was not granted').because({
    rule: 'who is given an ID token is granted the scope `openid`',
  });
