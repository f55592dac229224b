import type { ServerContext } from '../contracts/feature.js';
import { registered } from '../clients/registration/registered.js';
import type { Client } from '../model/model.js';
import { isAddress } from './client-members.js';
import { findOpenId } from './openid-feature.js';

/**
 * Where a user goes who wants to be at a client, which then sends them here to sign in; undefined: it has said no such place.
 * OpenID Connect Core §4
 */
export function loginInitiation(client: Client, issuer: string | undefined, server: ServerContext): string | undefined {
  const uri = registered(client, 'initiateLoginUri');
  // What a host has listed nobody has judged.
  if (issuer === undefined || !findOpenId(server) || !isAddress(uri)) return undefined;
  const url = new URL(uri!);
  url.search += `${url.search === '' ? '' : '&'}iss=${encodeURIComponent(issuer)}`;
  return url.href;
}
