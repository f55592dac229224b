import { InvalidArgumentError } from '../errors/index.js';
import type {
  AuthorizationCode,
  Awaitable,
  Client,
  Falsy,
  Model,
  RefreshToken,
  Scope,
  Token,
  Unsaved,
  User,
} from '../model/model.js';
import { NO_EXPIRY, warnOfModel } from '../model/model-mistakes.js';
import type { TokenExchangeModel } from '../features/token-exchange/exchange-model.js';
import type { Authorization } from '../contracts/authorization.js';
import { earlier, grantSpan, notAfter } from './grant-lifetime.js';
import { expiry } from './lifetime.js';
import { newGrantId, opaqueToken } from './opaque.js';
import { approveScope, scopeForModel, withinScope } from './scope.js';
import { sealSuccessor } from './successor.js';
import type { TokenFormat } from '../contracts/token-format.js';

/** What minting needs to know: the model, and lifetimes in seconds. */
export interface IssueOptions {
  model: Model;
  accessTokenLifetime: number;
  refreshTokenLifetime?: number;
  grantLifetime?: number;
  /** Who gives it out; left out: the host has named nobody. */
  issuer?: string | undefined;
  scopeFormat?: 'string' | 'array';
  /** Scope values that are dropped if they cannot be granted. Default: none. OpenID Connect Core §11 */
  ignorableScopes?: readonly string[];
  /** It is said in another way what is asked for. RFC 9396 §3.1 */
  scopeOptional?: boolean;
  /** Lets features judge what was established; what they add is saved with the token. Left out: there are none. */
  complete?(authorization: Authorization): Awaitable<object>;
  /** Writes the text of access tokens. Left out: they are opaque, or as the model makes them. */
  format?: TokenFormat | undefined;
}

/** What a token is given for, and is spent for it. */
export interface Redemption {
  /** As the model found it, for its `redeem`. Left out: `together` does it. */
  found?: AuthorizationCode | RefreshToken;
  /** Spends and saves in one step, where the model can. */
  together?: ((token: Unsaved<Token>) => Awaitable<Token | Falsy>) | undefined;
  /** The refresh token itself, where a client may have its answer again: the answer is sealed under it. */
  sealUnder?: string;
  /** Spends it: falsy when somebody else has. For models that cannot spend and save in one step. */
  spend(): Awaitable<unknown>;
  /** What is said to whoever comes second. */
  lost(): Promise<Token>;
}

/** The one place where tokens are minted and saved. RFC 6749 §5.1 */
export async function issueToken(options: IssueOptions, authorization: Authorization): Promise<Token> {
  const token = await prepareToken(options, authorization);
  return await saveToken(options.model, token, authorization);
}

/** The same for what is spent once: all that can fail without the store is done before that. RFC 6749 §4.1.2, §6 */
export async function redeem(
  options: IssueOptions,
  authorization: Authorization,
  redemption: Redemption,
): Promise<Token> {
  const { model } = options;
  const { client, user } = authorization;
  const token = await prepareToken(options, authorization);
  const { found, together } = redemption;
  if (together || (found && model.redeem)) {
    if (redemption.sealUnder !== undefined) token.successor = sealSuccessor(token, redemption.sealUnder);
    const saved = await (together ? together(token) : model.redeem!(found!, token, client, user));
    return saved ? checked(model, saved) : await redemption.lost();
  }
  if (!(await redemption.spend())) return await redemption.lost();
  return await saveToken(model, token, authorization);
}

async function saveToken(
  model: Model & TokenExchangeModel,
  token: Unsaved<Token>,
  { client, user, exchangedFor }: Authorization,
): Promise<Token> {
  const saved =
    exchangedFor && model.saveExchangedToken
      ? await model.saveExchangedToken(exchangedFor, token, client, user)
      : await model.saveToken(token, client, user);
  if (!saved) throw new InvalidArgumentError(NOT_SAVED);
  return checked(model, saved);
}

function checked(model: Model, saved: Token): Token {
  if (!saved.accessTokenExpiresAt) warnOfModel(model, NO_EXPIRY);
  return saved;
}

/** Everything about a token but its place in the store. */
async function prepareToken(options: IssueOptions, authorization: Authorization): Promise<Unsaved<Token>> {
  const { model, scopeFormat = 'string' } = options;
  const { client, user } = authorization;
  const isRefreshable = authorization.refreshable === true && client.grants?.includes('refresh_token');
  // First of all what a client's own lifetime may get wrong.
  const span = grantSpan(options, authorization.grantedAt);
  const whole = notAfter(expiry(options.accessTokenLifetime, 'accessTokenLifetime'), span);
  const accessTokenExpiresAt = authorization.notAfter ? earlier(whole, authorization.notAfter) : whole;
  const refreshTokenExpiresAt = isRefreshable
    ? notAfter(expiry(options.refreshTokenLifetime, 'refreshTokenLifetime'), span)
    : undefined;
  const approved = authorization.scopeApproved
    ? authorization.scope
    : await approveScope(options, authorization, !(authorization.scopeSeen || options.scopeOptional));
  const granted = authorization.scopeSeen ? withinScope(approved, authorization.scope) : approved;
  const scope = scopeForModel(granted, scopeFormat);
  const established = options.complete ? { ...authorization, scope } : authorization;
  const more = options.complete && (await options.complete(established));

  const token: Unsaved<Token> = {
    accessToken: model.generateAccessToken ? await generateAccessToken(model, client, user, scope) : opaqueToken(),
    accessTokenExpiresAt,
    scope,
  };
  if (authorization.extra) Object.assign(token, authorization.extra);
  if (more) Object.assign(token, more);
  if (isRefreshable && established.refreshable) {
    token.refreshToken = model.generateRefreshToken
      ? await generateRefreshToken(model, client, user, scope)
      : opaqueToken();
    token.refreshTokenExpiresAt = refreshTokenExpiresAt;
    if (span) token.grantedAt = span.began;
  }
  if (model.revokeGrant) {
    token.grantId = authorization.grantId ?? newGrantId();
    if (options.issuer !== undefined) token.issuer = options.issuer;
  }
  if (options.format) await write(options, token, authorization);
  return token;
}

/** Last of all, when everything is known that a token may say. */
async function write(options: IssueOptions, token: Unsaved<Token>, { client, user }: Authorization): Promise<void> {
  const text = await options.format!({ token, client, user, issuer: options.issuer });
  if (text !== undefined) token.accessToken = text;
}

const NOT_SAVED =
  'Invalid argument: `saveToken()` of the model returned nothing: it must return the token it saved, with `client` and `user`';

/** The model's own access token, or a random one. */
export async function generateAccessToken(model: Model, client: Client, user: User, scope?: Scope): Promise<string> {
  return (model.generateAccessToken && (await model.generateAccessToken(client, user, scope))) || opaqueToken();
}

/** The model's own refresh token, or a random one. */
export async function generateRefreshToken(model: Model, client: Client, user: User, scope?: Scope): Promise<string> {
  return (model.generateRefreshToken && (await model.generateRefreshToken(client, user, scope))) || opaqueToken();
}
