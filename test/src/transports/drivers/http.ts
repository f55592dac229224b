import { Controller, Get, Sse, UseGuards } from '@nestjs/common';
import { OAuthGuard, Scopes, type Token } from 'nest-oauth2';
import { map, timer } from 'rxjs';
import { bearer, get } from '../../../support/clients/http.js';
import { type Platform, startApplication } from '../../../support/servers/test-application.js';
import { GivenAll, oauth, reported, type Start } from '../driver.js';

@Controller()
@UseGuards(OAuthGuard)
@Scopes('notes:read')
class NotesController {
  @Get('notes')
  @GivenAll
  notes(user: string, app: string, token: Token) {
    return { said: reported(user, app, token) };
  }

  @Sse('stream')
  @GivenAll
  stream(user: string, app: string, token: Token) {
    return timer(0, 20).pipe(map(() => ({ data: reported(user, app, token) })));
  }
}

/** Describes a response of HTTP as in the table. */
async function sayAnswer(answer: Response): Promise<string> {
  const { said: text, error } = (await answer.json()) as { said?: string; error?: string };
  return text ?? `${answer.status} \`${error}\`${answer.headers.has('www-authenticate') ? ', challenge' : ''}`;
}

export const http =
  (platform: Platform): Start =>
  async (store) => {
    const { app, url } = await startApplication(platform, { imports: [oauth(store)], controllers: [NotesController] });
    return {
      ask: async (token) => sayAnswer(await get(`${url}/notes`, token ? bearer(token) : {})),
      stop: () => app.close(),
    };
  };

export const sse =
  (platform: Platform): Start =>
  async (store) => {
    const { app, url } = await startApplication(platform, { imports: [oauth(store)], controllers: [NotesController] });
    const open = (token?: string) => get(`${url}/stream`, token ? bearer(token) : {});
    return {
      async ask(token) {
        const answer = await open(token);
        if (answer.status !== 200) return sayAnswer(answer);
        const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
        let text = '';
        while (!text.includes('data: ')) text += (await reader.read()).value;
        await reader.cancel();
        return /data: (.*)/.exec(text)![1]!;
      },
      async open(token) {
        const answer = await open(token);
        const ended = answer.text().then(
          (text) => (text.includes('data: ') ? 'the stream ends' : 'nothing came'),
          (error: Error) => `broken off: ${error.message}`,
        );
        return { ended };
      },
      stop: () => app.close(),
    };
  };
