import { describe, expect, it } from '@jest/globals';
import { DemoInteraction, demoStore, SECRET as secret } from '../../support/servers/demo.js';
import { forRootError } from '../../support/servers/start-up-error.js';

const model = demoStore();
const interaction = new DemoInteraction();
const without = (name: string) => Object.assign(new DemoInteraction(), { [name]: undefined });

describe('the start of an application whose interaction is invalid', () => {
  it.each<[string, object, string]>([
    [
      'no secret',
      { interaction },
      'the option `secret`, which signs the CSRF tokens of consent forms, is missing: set it to at least 32 random characters, the same in every process. A file that is loaded before `ConfigModule` does not see the variables of `.env`: pass a function, such as `() => process.env.OAUTH2_SECRET!`',
    ],
    [
      'a short secret',
      { interaction, secret: 'x'.repeat(31) },
      'the option `secret` must be a text of at least 32 random characters, or a list of such texts',
    ],
    [
      'no findUser()',
      { interaction: without('findUser'), secret },
      'the interaction has no method `findUser()`: implement it to return the signed-in user',
    ],
    [
      'no login()',
      { interaction: without('login'), secret },
      'the interaction has no method `login()`: implement it to send the user to your login page',
    ],
    [
      'no consent()',
      { interaction: without('consent'), secret },
      'the interaction has no method `consent()`: implement it to ask the user for consent',
    ],
    [
      'a hasConsented that is not a method',
      { interaction: Object.assign(new DemoInteraction(), { hasConsented: true }), secret },
      'the member `hasConsented` of the interaction must be a method: implement or remove it',
    ],
    [
      'a showError that is not a method',
      { interaction: Object.assign(new DemoInteraction(), { showError: '<p>' }), secret },
      'the member `showError` of the interaction must be a method: implement or remove it',
    ],
    [
      'a function as interaction',
      { interaction: () => interaction, secret },
      'the option `interaction` must be a class, an instance or a provider: pass a function as `{ useFactory }`',
    ],
    [
      'a secret that is not a string',
      { interaction, secret: Buffer.alloc(32) },
      'the option `secret` must be a text of at least 32 random characters, or a list of such texts',
    ],
    [
      'a string as interaction',
      { interaction: 'login', secret },
      'the option `interaction` must be a class, an instance or a provider',
    ],
    [
      'both an interaction and an authenticateHandler',
      { interaction, secret, authenticateHandler: { handle() {} } },
      'set either `interaction` or `authenticateHandler`, not both: each of them finds the user',
    ],
  ])('fails with %s', async (_name, options, sentence) => {
    expect(await forRootError({ model, ...options })).toBe(sentence);
  });
});
