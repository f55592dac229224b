import { randomBytes } from 'node:crypto';
import type { INestApplication } from '@nestjs/common';
import type { User } from 'nest-oauth2';
import { type UpstreamAccounts, type UpstreamProfile, upstreams, type UpstreamsOptions } from 'nest-oauth2/upstreams';

import { type HostPlace, startHost } from './host.js';

/** The accounts of the application. Each identity gets a new one. */
class Accounts implements UpstreamAccounts {
  private readonly users = new Map<string, User>();

  findById = (id: string) => this.users.get(id);

  create({ sub }: UpstreamProfile): User {
    const user = { id: `user ${sub}` };
    this.users.set(user.id, user);
    return user;
  }
}

/** Starts an application whose users sign in with the suite. */
export async function startRelyingParty(
  options: Pick<UpstreamsOptions, 'providers' | 'fetch'>,
  place: HostPlace,
): Promise<INestApplication> {
  const accounts = new Accounts();
  return startHost(
    {
      clients: [],
      users: { findById: accounts.findById, findByCredentials: () => undefined },
      features: [upstreams({ ...options, accounts })],
      options: { secret: randomBytes(32).toString('base64url') },
    },
    place,
  );
}
