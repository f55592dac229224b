import { expectTypeOf } from 'expect-type';
import {
  type OAuth2Event,
  type OAuth2EventName,
  type OAuth2Events,
  type OAuth2Server,
  OnOAuth2Event,
} from 'nest-oauth2';

// The event name determines the payload type of a listener.

export class Listeners {
  @OnOAuth2Event('token.refused')
  refused({ reason, expected: wanted, error }: OAuth2Events['token.refused'], name: 'token.refused') {
    expectTypeOf(reason).toEqualTypeOf<string | undefined>();
    expectTypeOf(error).toEqualTypeOf<string>();
    return [wanted, name];
  }

  @OnOAuth2Event('*', { server: 'partners' })
  async anything(event: OAuth2Event, name: OAuth2EventName) {
    await Promise.resolve([event.at.getTime(), name]);
  }

  @OnOAuth2Event('grant.ended')
  nothingOfIt() {}

  // @ts-expect-error there is no such event
  @OnOAuth2Event('token.isued')
  misspelt() {}

  // @ts-expect-error an issued token has no rule
  @OnOAuth2Event('token.issued')
  another(event: OAuth2Events['token.refused']) {
    return event.reason;
  }

  // @ts-expect-error not every event says why
  @OnOAuth2Event('*')
  tooMuch(event: { reason: string }) {
    return event.reason;
  }
}

export function report(server: OAuth2Server) {
  server.report('grant.ended', { endpoint: 'sessions', userId: 1, reason: 'application' });
  // @ts-expect-error why it ended has to be said
  server.report('grant.ended', { endpoint: 'sessions' });
}
