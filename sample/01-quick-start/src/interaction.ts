import { Injectable } from '@nestjs/common';
import type { ConsentContext, InteractionAnswer, InteractionContext, OAuth2Interaction } from 'nest-oauth2';
import type { Request } from 'express';
import type { DemoUser } from './demo-data.js';
import { consentPage } from './pages/consent.page.js';
import { pageHeaders } from './pages/page.js';
import { findSignedInUser } from './session.js';

/** How `/oauth/authorize` learns who the user is and what they agree to. */
@Injectable()
export class LoginAndConsent implements OAuth2Interaction<DemoUser> {
  private readonly consents = new Map<string, Set<string>>();

  findUser({ request }: InteractionContext): Promise<DemoUser | undefined> {
    return findSignedInUser(request as Request);
  }

  /** Nobody is signed in: login.controller.ts takes over and comes back to `returnTo`. */
  login({ returnTo }: InteractionContext): InteractionAnswer {
    return { redirect: `/login?return_to=${encodeURIComponent(returnTo)}` };
  }

  hasConsented(user: DemoUser, { authorization }: InteractionContext): boolean {
    // Any program on this computer can call itself demo-spa, so a client without a secret asks each time. RFC 8252 §8.6
    if (authorization.client.tokenEndpointAuthMethod === 'none') return false;
    const agreed = this.agreedScopes(user, authorization);
    return words(authorization.scope).every((scope) => agreed.has(scope));
  }

  consent(user: DemoUser, context: ConsentContext): InteractionAnswer {
    return { html: consentPage(user, context, words(context.authorization.scope)), headers: pageHeaders };
  }

  saveConsent(user: DemoUser, { authorization }: InteractionContext): void {
    const agreed = this.agreedScopes(user, authorization);
    for (const scope of words(authorization.scope)) agreed.add(scope);
  }

  private agreedScopes(user: DemoUser, { client }: InteractionContext['authorization']): Set<string> {
    const key = JSON.stringify([user.id, client.id]);
    if (!this.consents.has(key)) this.consents.set(key, new Set());
    return this.consents.get(key)!;
  }
}

const words = (scope = ''): string[] => scope.split(' ').filter(Boolean);
