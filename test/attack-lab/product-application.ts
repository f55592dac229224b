import {
  Controller,
  Get,
  type INestApplication,
  type ModuleMetadata,
  Post,
  type Type,
  UseGuards,
} from '@nestjs/common';
import { WsAdapter } from '@nestjs/platform-ws';
import { WebSocketGateway } from '@nestjs/websockets';
import { AcceptSession, OAuth2Module, OAuthGuard, Scopes } from 'nest-oauth2';
import { accounts, type AccountUsers } from 'nest-oauth2/accounts';
import { registration, revocation } from 'nest-oauth2/features';
import { type Organizations, pages, urlElicitation } from 'nest-oauth2/pages';
import { MemoryStore } from 'nest-oauth2/stores/memory';
import type { AttackLabOptions } from 'nest-oauth2/testing';
import { oidc, type UpstreamAccounts, upstreams } from 'nest-oauth2/upstreams';
import { SECRET } from '../support/servers/demo.js';
import { StandIn } from '../src/upstreams/stand-in.js';
import { ISSUER } from './weak-application.js';

interface Member {
  id: string;
  email: string;
  name: string;
  password: string;
}

const scopes = ['notes:read', 'notes:write'];
export const ALICE = { id: '1', email: 'alice@example.com', name: 'Alice', password: 'violet kettle on the moor' };
export const BOB = { id: '2', email: 'bob@example.com', name: 'Bob', password: 'eleven quiet bicycles here' };
const CAROL = { id: '3', email: 'carol@example.com', name: 'Carol', password: 'nine loud trains at noon' };
const signIn = ({ email, password }: Member) => ({ username: email, password });

/** The users of the application, in a table with passwords that are not hashed, so that tests are fast. */
class Users implements AccountUsers<Member>, UpstreamAccounts<Member> {
  readonly all: Member[] = [ALICE, BOB, CAROL];
  findById = (id: string) => this.all.find((one) => one.id === id);
  findByEmail = (email: string) => this.all.find((one) => one.email === email);
  verifyPassword = async (user: Member | undefined, password: string) => user?.password === password;
  isVerified = () => true;
  releaseEmail = () => undefined;

  create({ email = '', name = 'Unnamed' }: { email?: string | undefined; name?: string | undefined }): Member {
    const user = { id: String(this.all.length + 1), email, name, password: '' };
    this.all.push(user);
    return user;
  }
}

/** The organizations of the users, some of which have none. */
class Members implements Organizations<{ id: string }> {
  hasLeft = false;
  list = ({ id }: { id: string }) =>
    id === ALICE.id && !this.hasLeft
      ? [
          { id: 'acme', name: 'Acme' },
          { id: 'globex', name: 'Globex' },
        ]
      : [];
}

@WebSocketGateway({ path: '/socket' })
@UseGuards(OAuthGuard)
@AcceptSession()
@Scopes('notes:read')
class Gateway {
  handleConnection(client: { send(text: string): void }) {
    client.send('{"event":"welcome"}');
  }
}

@Controller('notes')
@UseGuards(OAuthGuard)
@AcceptSession()
class NotesController {
  @Get()
  @Scopes('notes:read')
  list() {
    return { notes: [] };
  }

  @Post()
  @Scopes('notes:write')
  add() {
    return {};
  }
}

/** The parts of the application that a fault changes before it starts. */
export interface Product {
  readonly model: MemoryStore;
  readonly users: Users;
  readonly members: Members;
  readonly provider: StandIn;
  readonly codes: { verify(): boolean; isEnrolled(user: object): boolean };
}

/** A fault of the application: of one of its parts, or of a wrapper around it. */
export interface ProductFault {
  change?: (product: Product) => void;
  prepare?: (app: INestApplication, product: Product) => unknown;
  /** The gateway instead of the correct one. */
  gateway?: Type;
  /** Options of the lab. */
  options?: AttackLabOptions;
}

/**
 * Returns the module, the options of the lab, and the preparation of an application with accounts, organizations, personal access tokens and another
 * provider.
 */
export function productApplication(fault: ProductFault = {}) {
  const users = new Users();
  const product: Product = {
    users,
    members: new Members(),
    model: new MemoryStore({ users }),
    provider: new StandIn('https://acme.example'),
    codes: { verify: () => false, isEnrolled: (user) => (user as Member).id === CAROL.id },
  };
  fault.change?.(product);
  const { model, members, provider, codes } = product;
  const client = { clientId: 'us', clientSecret: 'our-secret', issuer: provider.issuer, label: 'Acme' };
  const module = (): ModuleMetadata => ({
    imports: [
      OAuth2Module.forRoot({
        model,
        secret: SECRET,
        issuer: ISSUER,
        features: [
          pages({
            organizations: members,
            secondFactor: { by: codes },
            acceptSessions: { scopes, routes: 'marked' },
          }),
          accounts({ users, mail: { send: () => undefined }, personalAccessTokens: { scopes } }),
          upstreams({ accounts: users, providers: { acme: oidc(client) }, fetch: provider.fetch }),
          urlElicitation(),
          revocation(),
          registration({ initialAccessScope: 'register', scopes }),
        ],
      }),
    ],
    controllers: [NotesController],
    providers: [fault.gateway ?? Gateway],
  });
  const options: AttackLabOptions = {
    signIn: signIn(ALICE),
    otherUser: signIn(BOB),
    secondFactorUser: signIn(CAROL),
    guarded: '/notes',
    scopes,
    gateway: '/socket',
    organizations: {
      other: 'initech',
      leave: () => (members.hasLeft = true),
      rejoin: () => (members.hasLeft = false),
    },
    upstream: {
      provider: 'acme',
      signIn: (url, email) => {
        const claims = { sub: email ?? 'e-1', name: 'Erin', ...(email && { email, email_verified: false }) };
        return ISSUER + provider.respond(url, claims);
      },
      logoutToken: () => provider.logoutToken({ sub: 'e-1' }),
    },
    callers: 4,
    ...fault.options,
  };
  const prepare = (app: INestApplication) => {
    app.useWebSocketAdapter(new WsAdapter(app));
    fault.prepare?.(app, product);
  };
  return { module, options, prepare };
}
