import { InvalidRequestError, InvalidScopeError } from '../errors/index.js';
import { CodeResponseType } from '../features/authorization-code/code-response.js';
import { TokenResponseType } from '../features/implicit.js';
import type { User } from '../model/model.js';
import type { Options } from '../options/settle.js';
import type { Answer, AuthorizationRequest, ResponseTypeClass } from '../contracts/response-type.js';
import { coversScope } from '../tokens/scope.js';
import type { TokenFormat } from '../contracts/token-format.js';
import type { FrontChannelType } from './front-channel-types.js';
import { signIdToken } from './id-token.js';
import type { Provider } from './provider.js';
import { OPENID_SCOPE } from './scopes.js';

/**
 * Answers with an ID token, which passes through the browser, or with an access token beside a code: for clients that cannot do
 * without. They need the grant `implicit` too. OpenID Connect Core §3.2, §3.3
 */
export function frontChannelType(name: FrontChannelType, provider: () => Provider): ResponseTypeClass {
  const values = name.split(' ');
  const Code = values.includes('code') ? CodeResponseType : undefined;
  const Access = values.includes('token') ? TokenResponseType : undefined;
  return class FrontChannelResponseType {
    static readonly grant = 'implicit';
    static readonly furtherGrants = Code ? [Code.grant] : [];
    static readonly mode = 'fragment';
    static readonly provable = Code !== undefined;
    static readonly requires = [...(Code?.requires ?? []), ...(Access?.requires ?? [])];

    constructor(private readonly options: Options) {}

    async handle(asked: AuthorizationRequest, user: User, format?: TokenFormat): Promise<Answer> {
      const { client, grantedScope: scope } = asked;
      // All that can fail is done before anything is kept.
      const prepared = values.includes('id_token') ? await this.prepare(asked, user) : undefined;
      const code = Code && (await new Code(this.options).handle(asked, user));
      // On one grant: a code that comes twice ends this token too. RFC 6749 §4.1.2
      const access = Access && (await new Access(this.options).handle(asked, user, format, code?.grantId));
      const parameters: Answer['parameters'] = { ...code?.parameters, ...access?.parameters };
      const { code: text, access_token: accessToken } = parameters;
      if (prepared) parameters['id_token'] = await signIdToken(prepared, { code: text, accessToken });
      return { result: { client, user, scope: scope! }, scope, ...access, ...code, parameters };
    }

    private async prepare({ client, grantedScope: scope, issuer, data: kept }: AuthorizationRequest, user: User) {
      if (!coversScope(scope, OPENID_SCOPE)) throw notGranted();
      const entitled = { client, user, scope, issuer, kept, nonce: kept['nonce'], alone: name === 'id_token' };
      return await provider().idTokens.make(this.options.model, entitled);
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
