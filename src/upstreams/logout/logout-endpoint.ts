import { hash } from 'node:crypto';

import {
  consumeOnce,
  type Endpoint,
  FeatureEndpoint,
  hasCounts,
  loadLogoutTokenVerifier,
  type LogoutTokenClaims,
  type LogoutTokenVerifier,
  RateLimit,
} from '../../../lib/internal.js';
import { InvalidRequestError, type Request, type Response, type ServerContext } from '../../../lib/index.js';
import { serverKey } from '../../tenants/tenant-of.js';
import { countFromNetwork } from '../network-limit.js';
import { reportUpstreamRefusal } from '../upstream-events.js';
import { logoutEndpoint, UPSTREAM_SERVER } from '../upstream-server.js';
import { endUpstreamSessions } from './end-sessions.js';

/** Maximum length of a logout token. */
const MAX_LENGTH = 8192;

/** Seconds for which a `jti` is remembered: more than the age to which a logout token is accepted. */
const JTI_LIFETIME = 1200;

/** The count of a used `jti`. `MemoryStore` removes the lowest counts first if there are too many. */
const USED = 1_000_000;

/** The limit of invalid logout tokens from one network. */
const failures = new RateLimit('upstream logout', { requests: 300, per: 600 });

/** The endpoint to which a provider sends logout tokens. OpenID Connect Back-Channel Logout 1.0 §2.5 */
export const backChannelLogout = (provider: string, label: string): Endpoint => ({
  path: `oauth/upstreams/${provider}/backchannel_logout`,
  methods: ['POST'],
  description: { summary: `Receives the logout tokens of ${label}` },
  make: (server) => new LogoutEndpoint(server, provider),
});

class LogoutEndpoint extends FeatureEndpoint<void> {
  protected readonly id: string;
  private verifier: Promise<LogoutTokenVerifier> | undefined;

  constructor(
    server: ServerContext,
    private readonly provider: string,
  ) {
    super(server.options, server);
    this.id = logoutEndpoint(provider);
  }

  async handle(request: Request, response: Response): Promise<void> {
    this.prepare(request, response);
    try {
      const claims = await this.readToken(request, response);
      await endUpstreamSessions(this.upstreams, claims, { request, endpoint: this.id });
      // Only now, so that the provider can send the token again if sessions could not be ended.
      const { model } = this.server.options;
      if (hasCounts(model)) await model.countWithin(this.digestOf(claims), JTI_LIFETIME, USED);
      response.status = 200;
      response.body = '';
    } catch (error) {
      throw this.fail(response, error, {});
    }
  }

  /** Returns the claims of the logout token, which is valid and has not ended its sessions before. */
  private async readToken(request: Request, response: Response): Promise<LogoutTokenClaims> {
    const { server } = this;
    if (this.upstreams.require(this.provider).endpoints)
      throw new InvalidRequestError('Invalid request: the provider issues no ID tokens', { code: 404 });
    this.verifyContent(request);
    const { model } = server.options;
    const giveBack = await countFromNetwork(failures, { server, request, response });
    if (!giveBack) throw new InvalidRequestError('Invalid request: too many invalid logout tokens', { code: 429 });
    const claims = await this.verify(request);
    const digest = this.digestOf(claims);
    const isNew = hasCounts(model)
      ? (await model.countWithin(digest, JTI_LIFETIME, 0)).count === 0
      : await consumeOnce(model, digest, JTI_LIFETIME);
    if (!isNew) throw this.refused(request, new Error('it was sent before'));
    await giveBack();
    return claims;
  }

  private digestOf({ iss, jti }: LogoutTokenClaims): string {
    const { server } = this;
    const parts = ['upstream logout', serverKey(server, server.options.issuer), iss, jti];
    return hash('sha256', JSON.stringify(parts), 'base64url');
  }

  private async verify(request: Request): Promise<LogoutTokenClaims> {
    const { logout_token: token } = (request.body ?? {}) as Record<string, unknown>;
    const client = this.upstreams.client(this.provider);
    try {
      if (typeof token !== 'string' || token.length > MAX_LENGTH)
        throw new Error('it is missing, repeated or too long');
      this.verifier ??= loadLogoutTokenVerifier(async () => client.readKeys());
      return await (await this.verifier).verify(token, client.clientId);
    } catch (error) {
      throw this.refused(request, error);
    }
  }

  /** Reports why a logout token is refused, and returns the error of the response. */
  private refused(request: Request, cause: unknown): InvalidRequestError {
    const { server, id: endpoint, provider } = this;
    reportUpstreamRefusal('invalidLogoutToken', { server, request, endpoint, provider }, cause);
    return new InvalidRequestError('Invalid request: `logout_token` is invalid');
  }

  private get upstreams() {
    return this.server.find(UPSTREAM_SERVER)!;
  }
}
