import { hash } from 'node:crypto';
import { capability } from '../../contracts/capability.js';
import type { ServerContext } from '../../contracts/feature.js';
import { PERSONAL_TOKEN_USE, type PersonalTokenSource } from '../../endpoints/resource/personal-tokens.js';
import { InvalidArgumentError, InvalidScopeError } from '../../errors/index.js';
import { hasListener, reportEvent } from '../../events/events.js';
import { requesterNetwork } from '../../http/network.js';
import type { Request } from '../../http/request.js';
import type { Token, User } from '../../model/model.js';
import type { FoundPersonalToken, PersonalToken, PersonalTokenModel } from '../../model/personal-tokens.js';
import { isOfIssuer } from '../../tokens/issuer.js';
import { isExpired } from '../../tokens/lifetime.js';
import type { ResolvedPersonalTokens } from './options.js';
import { TokenText } from './token-text.js';

/** The choices of a user for a new personal access token. */
export interface PersonalTokenRequest {
  /** A name for the list of tokens: 1 to 100 characters. */
  name: string;
  /** At least one of the scopes that the user can choose from. */
  scopes: readonly string[];
  /** Lifetime in seconds. If omitted, the option `lifetime` of `personalAccessTokens()`. */
  lifetime?: number;
}

/** A new personal access token. Show `token` to the user once: it cannot be read again. */
export interface CreatedPersonalToken extends Pick<PersonalToken, 'id' | 'name' | 'scope' | 'expiresAt'> {
  token: string;
}

/** Maximum number of active tokens of one user. */
const MAX_TOKENS = 50;
const MAX_NAME = 100;
/** Minimum number of milliseconds between two writes of the last use of a token. */
const RECORD_INTERVAL = 60_000;
/** Maximum number of networks that are remembered for one token. */
const MAX_NETWORKS = 20;

/** Returns whether a text can be the name of a token: 1 to 100 characters, none of them invisible. */
export const isTokenName = (name: string): boolean =>
  name.trim() === name && name !== '' && name.length <= MAX_NAME && !/\p{C}/u.test(name);

/** The personal access tokens of one server. */
export class PersonalTokens implements PersonalTokenSource {
  private readonly text: TokenText;
  private readonly model: PersonalTokenModel;

  constructor(
    private readonly server: ServerContext,
    /** The validated options. */
    readonly settings: ResolvedPersonalTokens,
  ) {
    this.text = new TokenText(settings.prefix);
    this.model = server.options.model as object as PersonalTokenModel;
  }

  /** Returns the scopes that a user can choose from. */
  async scopesOf(user: User): Promise<readonly string[]> {
    return this.settings.scopesOf(user);
  }

  /**
   * Creates a token for a user. The application must have authenticated the user by a login, not by a token.
   * @throws {InvalidScopeError} If no scope is requested, or one that the user may not choose.
   * @throws {InvalidArgumentError} If the name or the lifetime is invalid, or if the user has too many tokens.
   */
  async create(
    user: User,
    { name, scopes, lifetime = this.settings.lifetime }: PersonalTokenRequest,
    endpoint = 'personal_tokens',
  ): Promise<CreatedPersonalToken> {
    const { maxLifetime, resource } = this.settings;
    if (!isTokenName(name)) {
      throw new InvalidArgumentError(
        `Invalid argument: the \`name\` of a token must have 1 to ${MAX_NAME} visible characters`,
      );
    }
    if (!(Number.isSafeInteger(lifetime) && lifetime > 0 && lifetime <= maxLifetime)) {
      throw new InvalidArgumentError(
        `Invalid argument: \`lifetime\` must be a whole number of seconds from 1 to ${maxLifetime}`,
      );
    }
    const allowed = await this.scopesOf(user);
    const chosen = [...new Set(scopes)];
    if (chosen.length === 0 || !chosen.every((one) => allowed.includes(one))) {
      throw new InvalidScopeError('Invalid scope: choose at least one of the scopes of this user').because({
        reason: 'the user may not choose these scopes for a personal access token, or chose none',
        expected: allowed.join(' '),
        given: chosen.join(' '),
        remedy: 'request scopes that `scopesOf()` returns',
      });
    }
    if (await this.isFull(user)) throw new InvalidArgumentError(`Invalid argument: the user has ${MAX_TOKENS} tokens`);
    const { issuer } = this.server.options;
    const token = this.text.generate();
    const [scope, expiresAt] = [chosen.join(' '), new Date(Date.now() + lifetime * 1000)];
    const saved = {
      token,
      name,
      scope,
      expiresAt,
      ...(resource && { resource }),
      ...(issuer !== undefined && { issuer }),
    };
    const id = await this.model.savePersonalToken(saved, user);
    this.report('personal_token.created', { endpoint, userId: user['id'], scope, grantId: id, tokenName: name });
    return { id, token, name, scope, expiresAt };
  }

  /** Whether a user has the maximum number of tokens. */
  async isFull(user: User): Promise<boolean> {
    return (await this.list(user)).length >= MAX_TOKENS;
  }

  /** Returns the active tokens of a user at this server, the newest first. */
  async list({ id }: User): Promise<PersonalToken[]> {
    return this.model.listPersonalTokens({ userId: id as string, ...this.atIssuer() });
  }

  /**
   * Revokes a token of a user.
   * @param reason who revokes it, for the event `grant.ended`
   * @returns whether the token was active
   */
  async revoke(
    { id: userId }: User,
    id: string,
    reason: 'withdrawn' | 'application' = 'withdrawn',
    endpoint = 'personal_tokens',
  ): Promise<boolean> {
    const isEnded = await this.model.revokePersonalToken({ id, userId: userId as string, ...this.atIssuer() });
    const { events, issuer } = this.server.options;
    if (isEnded && hasListener(events, 'grant.ended'))
      reportEvent(events, 'grant.ended', { endpoint, issuer, userId, grantId: id, reason });
    return isEnded;
  }

  matches(value: string): boolean {
    return this.text.matches(value);
  }

  /** Finds a token, unless its checksum is wrong. Its scope is limited to what its user can choose now. */
  async find(value: string, request?: Request): Promise<Token | undefined> {
    if (!this.text.isValid(value)) return undefined;
    const found = await this.model.findPersonalToken(value);
    if (!found || !isOfIssuer(found, this.server.options.issuer)) return undefined;
    const { id, user, name, issuer, resource, expiresAt } = found;
    const allowed = await this.settings.scopesOf(user);
    const scope = found.scope.split(' ').filter((one) => allowed.includes(one));
    if (request && !isExpired(expiresAt)) await this.record(found, request);
    return {
      accessToken: value,
      accessTokenExpiresAt: expiresAt,
      scope: scope.join(' '),
      user,
      grantId: id,
      ...(issuer !== undefined && { issuer }),
      ...(resource && { resource }),
      token_use: PERSONAL_TOKEN_USE,
      tokenName: name,
    } as Partial<Token> as Token;
  }

  /** Records the use of a token: at most once a minute, and when it comes from a new network. */
  private async record(found: FoundPersonalToken, request: Request): Promise<void> {
    const network = requesterNetwork(request);
    const mark = network && digestOf(found.id, network);
    const isNew = mark !== undefined && !found.networks.includes(mark);
    const now = new Date();
    if (!isNew && found.lastUsedAt && now.getTime() - found.lastUsedAt.getTime() < RECORD_INTERVAL) return;
    const networks = isNew ? [mark, ...found.networks].slice(0, MAX_NETWORKS) : found.networks;
    try {
      if (!(await this.model.recordPersonalTokenUse(found, { lastUsedAt: now, networks })) || !isNew) return;
    } catch {
      // A request is not refused because its time cannot be saved. The next use tries again, and emits the event then.
      return;
    }
    const { id, user, name, scope } = found;
    const details = { userId: user['id'], scope, grantId: id, tokenName: name };
    this.report('personal_token.new_network', { endpoint: 'resource', ...details, network });
  }

  private report(
    name: 'personal_token.created' | 'personal_token.new_network',
    details: { endpoint: string; userId: unknown; scope: string; grantId: string; tokenName: string; network?: string },
  ): void {
    const { events, issuer } = this.server.options;
    if (hasListener(events, name)) reportEvent(events, name, { issuer, ...details });
  }

  private atIssuer(): { issuer?: string } {
    const { issuer } = this.server.options;
    return issuer === undefined ? {} : { issuer };
  }
}

/** The capability key of the personal access tokens of a server. */
export const PERSONAL_TOKENS = capability<PersonalTokens>('personal tokens', 'personalAccessTokens');

/** Returns a short digest of a network. The digests of two tokens differ, so that they do not reveal a common network. */
const digestOf = (id: string, network: string) => hash('sha256', `${id} ${network}`, 'base64url').slice(0, 16);
