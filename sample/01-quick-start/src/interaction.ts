import { Injectable } from '@nestjs/common';
import type { ConsentContext, InteractionAnswer, InteractionContext, OAuth2Interaction, OAuthError } from 'nest-oauth2';
import type { Request } from 'express';
import type { DemoClient, DemoUser } from './demo-data.js';
import { consentPage } from './pages/consent.page.js';
import { errorPage } from './pages/error.page.js';
import { pageHeaders } from './pages/page.js';
import { findSignedInUser } from './session.js';

type Context = InteractionContext<DemoClient>;

/** How `/oauth/authorize` learns who the user is and what they agree to. */
@Injectable()
export class LoginAndConsent implements OAuth2Interaction<DemoUser, DemoClient> {
  private readonly consents = new Map<string, Set<string>>();

  findUser({ request }: Context): Promise<DemoUser | undefined> {
    return findSignedInUser(request as Request);
  }

  /** Nobody is signed in: login.controller.ts takes over and comes back to `returnTo`. */
  login({ returnTo }: Context): InteractionAnswer {
    return { redirect: `/login?return_to=${encodeURIComponent(returnTo)}` };
  }

  /** From here on, the scope is what the model would grant: all that the client may have, when it asked for none. */
  hasConsented(user: DemoUser, { authorization }: Context): boolean {
    // Any program on this computer can call itself demo-spa, so a client without a secret asks each time. RFC 8252 §8.6
    if (authorization.client.tokenEndpointAuthMethod === 'none') return false;
    const agreed = this.agreedScopes(user, authorization);
    const wanted = words(authorization.scope);
    // Every one of none is agreed to: a token without a scope still needs a yes.
    return wanted.length > 0 && wanted.every((scope) => agreed.has(scope));
  }

  consent(user: DemoUser, context: ConsentContext<DemoClient>): InteractionAnswer {
    return { html: consentPage(user, context, words(context.authorization.scope)), headers: pageHeaders };
  }

  saveConsent(user: DemoUser, { authorization }: Context): void {
    const agreed = this.agreedScopes(user, authorization);
    for (const scope of words(authorization.scope)) agreed.add(scope);
  }

  /** Client or redirect URI are unknown: the only one to tell is the user. */
  showError(error: OAuthError): InteractionAnswer {
    return { html: errorPage(error), headers: pageHeaders };
  }

  private agreedScopes(user: DemoUser, { client }: Context['authorization']): Set<string> {
    const key = JSON.stringify([user.id, client.id]);
    if (!this.consents.has(key)) this.consents.set(key, new Set());
    return this.consents.get(key)!;
  }
}

const words = (scope = ''): string[] => scope.split(' ').filter(Boolean);
