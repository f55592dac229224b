import { createHash, randomUUID } from 'node:crypto';
import {
  Body,
  Controller,
  Get,
  Headers,
  HttpCode,
  Post,
  Query,
  Redirect,
  Res,
  UnauthorizedException,
} from '@nestjs/common';
import { html, page, sendPage } from 'nest-oauth2/pages';
import { issuer } from '../address.js';

const user = { id: 583231, login: 'octocat' };
const repositories = [{ full_name: 'octocat/hello-world' }, { full_name: 'octocat/spoon-knife' }];

type Form = Record<string, string>;
type Response = Parameters<typeof sendPage>[0];

/** A stand-in for GitHub with one user, so that the sample runs without an account there. Delete it in your application. */
@Controller('github')
export class GitHubStandIn {
  /** The code challenges by code. RFC 7636 §4.3 */
  private readonly challenges = new Map<string, string>();
  private readonly tokens = new Set<string>();

  @Get('login/oauth/authorize')
  ask(@Query() { client_id, redirect_uri, state, code_challenge }: Form, @Res() response: Response): void {
    const fields = Object.entries({ redirect_uri, state, code_challenge }).map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
    );
    const main = html`<p>${client_id} asks to read the repositories of <b>${user.login}</b>.</p>
      <form method="post" action="/github/login/oauth/authorize">${fields}<button>Authorize</button></form>`;
    sendPage(response, page({ title: 'Stand-in for GitHub', main }));
  }

  @Post('login/oauth/authorize')
  @Redirect()
  allow(@Body() { redirect_uri, state, code_challenge }: Form) {
    const url = new URL(redirect_uri ?? '', issuer);
    if (url.origin !== new URL(issuer).origin) throw new UnauthorizedException();
    const code = randomUUID();
    this.challenges.set(code, code_challenge ?? '');
    url.search = new URLSearchParams({ code, state: state ?? '' }).toString();
    return { url: url.href, statusCode: 303 };
  }

  @Post('login/oauth/access_token')
  @HttpCode(200)
  issue(@Body() { code = '', code_verifier = '', client_secret }: Form) {
    const challenge = this.challenges.get(code);
    this.challenges.delete(code);
    const isProven = challenge === createHash('sha256').update(code_verifier).digest('base64url');
    if (!isProven || client_secret !== 'notes-secret') throw new UnauthorizedException();
    const token = `gho_${randomUUID()}`;
    this.tokens.add(token);
    return { access_token: token, token_type: 'bearer', scope: 'read:user,repo' };
  }

  @Get('api/user')
  profile(@Headers('authorization') authorization?: string) {
    this.verify(authorization);
    return user;
  }

  @Get('api/user/repos')
  list(@Headers('authorization') authorization?: string) {
    this.verify(authorization);
    return repositories;
  }

  private verify(authorization = ''): void {
    if (!this.tokens.has(authorization.replace(/^Bearer /, ''))) throw new UnauthorizedException();
  }
}
