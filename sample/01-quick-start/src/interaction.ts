import { Injectable } from '@nestjs/common';
import type { ConsentContext, InteractionAnswer, InteractionContext, OAuth2Interaction, OAuthError } from 'nest-oauth2';
import type { Request } from 'express';
import { database } from './database.js';
import type { DemoClient, DemoUser } from './demo-data.js';
import { consentPage } from './pages/consent.page.js';
import { errorPage } from './pages/error.page.js';
import { pageHeaders } from './pages/page.js';
import { findSignedInUser } from './session.js';
import { Consent } from './tables.js';

type Context = InteractionContext<DemoClient>;

/** How `/oauth/authorize` learns who the user is and what they agree to. */
@Injectable()
export class LoginAndConsent implements OAuth2Interaction<DemoUser, DemoClient> {
  findUser({ request }: Context): Promise<DemoUser | undefined> {
    return findSignedInUser(request as Request);
  }

  /** Nobody is signed in: login.controller.ts takes over and comes back to `returnTo`. */
  login({ returnTo }: Context): InteractionAnswer {
    return { redirect: `/login?return_to=${encodeURIComponent(returnTo)}` };
  }

  /** From here on, the scope is what the model would grant: its default, when the client asked for none. */
  async hasConsented(user: DemoUser, { authorization }: Context): Promise<boolean> {
    // Any program on this computer can call itself demo-spa, so a client without a secret asks each time. RFC 8252 §8.6
    if (authorization.client.tokenEndpointAuthMethod === 'none') return false;
    const wanted = consents(user, authorization);
    const agreed = await Promise.all(wanted.map((consent) => database.manager.existsBy(Consent, consent)));
    // Every one of none is agreed to: a token without a scope still needs a yes.
    return agreed.length > 0 && agreed.every(Boolean);
  }

  consent(user: DemoUser, context: ConsentContext<DemoClient>): InteractionAnswer {
    return { html: consentPage(user, context, words(context.authorization.scope)), headers: pageHeaders };
  }

  async saveConsent(user: DemoUser, { authorization }: Context): Promise<void> {
    await database.manager.upsert(Consent, consents(user, authorization), ['userId', 'clientId', 'scope']);
  }

  /** Client or redirect URI are unknown: the only one to tell is the user. */
  showError(error: OAuthError): InteractionAnswer {
    return { html: errorPage(error), headers: pageHeaders };
  }
}

const consents = (user: DemoUser, { client, scope }: Context['authorization']) =>
  words(scope).map((word) => ({ userId: user.id, clientId: client.id, scope: word }));

const words = (scope = ''): string[] => scope.split(' ').filter(Boolean);
