import express, { type ErrorRequestHandler } from 'express';
import session from 'express-session';
import { Passport } from 'passport';
import { Strategy, type VerifyCallback } from 'passport-openidconnect';
import { type Provider, serve } from './relying-party.js';

/**
 * Starts an application with passport-openidconnect, which is configured with each endpoint and does not support PKCE.
 */
export async function startPassport({ issuer, clientId, clientSecret }: Provider) {
  const discovery = (await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()) as Record<
    string,
    string
  >;
  return serve((url) => {
    const passport = new Passport();
    passport.serializeUser((user, done) => done(null, user));
    passport.deserializeUser((user: Express.User, done) => done(null, user));
    passport.use(
      new Strategy(
        {
          issuer,
          authorizationURL: discovery['authorization_endpoint']!,
          tokenURL: discovery['token_endpoint']!,
          userInfoURL: discovery['userinfo_endpoint']!,
          clientID: clientId,
          clientSecret,
          callbackURL: `${url}/callback`,
          scope: ['profile', 'email'],
          skipUserProfile: false,
        },
        (_issuer: string, profile: object, done: VerifyCallback) => done(null, profile),
      ),
    );
    const failed: ErrorRequestHandler = (error: Error, ...[, response]) => {
      response.status(500).send(error.message);
    };
    return express()
      .use(session({ secret: 'of the judge', resave: false, saveUninitialized: false }))
      .use(passport.session())
      .get('/login', passport.authenticate('openidconnect'))
      .get('/callback', passport.authenticate('openidconnect', { successRedirect: '/' }))
      .get('/', (request, response) => void response.json(request.user ?? null))
      .use(failed);
  });
}
