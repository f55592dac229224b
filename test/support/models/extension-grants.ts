import { inherits } from 'node:util';

import { AbstractGrantType, type Client, InvalidGrantError, type Request, type Token } from 'nest-oauth2/server';

/**
 * An extension grant in the style of version 3: a constructor function with a prototype that calls inherited methods
 * and returns promises.
 */
// oxlint-disable-next-line no-explicit-any
const ClassicGrantType = function (this: any, options: object) {
  // oxlint-disable-next-line no-this-in-exported-function
  (AbstractGrantType as unknown as (...args: unknown[]) => void).call(this, options);
};
inherits(ClassicGrantType, AbstractGrantType);
// oxlint-disable-next-line no-explicit-any
ClassicGrantType.prototype.handle = function (this: any, request: Request, client: Client) {
  if (!request.body.assertion) throw new InvalidGrantError('Invalid grant: no assertion');
  const user = { id: 'asserted' };
  const scope = this.getScope(request);
  return Promise.all([
    this.validateScope(user, client, scope),
    this.generateAccessToken(client, user, scope),
    this.generateRefreshToken(client, user, scope),
    this.getAccessTokenExpiresAt(),
    this.getRefreshTokenExpiresAt(),
  ]).then(([granted, accessToken, refreshToken, accessTokenExpiresAt, refreshTokenExpiresAt]) =>
    this.model.saveToken(
      { accessToken, accessTokenExpiresAt, refreshToken, refreshTokenExpiresAt, scope: granted, custom: true },
      client,
      user,
    ),
  );
};

export { ClassicGrantType };

/** An extension grant in the style of version 5: a class with async methods and scopes in arrays. */
export class ModernGrantType extends AbstractGrantType {
  async handle(request: Request, client: Client): Promise<Token> {
    const user = { id: 'asserted' };
    const scope = await this.validateScope(user, client, this.getScope(request));
    const token = {
      accessToken: await this.generateAccessToken(client, user, scope),
      accessTokenExpiresAt: this.getAccessTokenExpiresAt(),
      refreshToken: await this.generateRefreshToken(client, user, scope),
      refreshTokenExpiresAt: this.getRefreshTokenExpiresAt(),
      scope,
    };
    return (await this.model.saveToken(token, client, user)) as Token;
  }
}
