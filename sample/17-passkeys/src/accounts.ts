import type { WebAuthnCredential } from '@simplewebauthn/server';
import { randomUUID } from 'node:crypto';

export interface Account {
  id: string;
  name: string;
  passkey: WebAuthnCredential;
}

/** The accounts and their passkeys. In production, use tables and allow several passkeys per account. */
class Accounts {
  private readonly byId = new Map<string, Account>();

  findById(id: string | undefined): Account | undefined {
    return id === undefined ? undefined : this.byId.get(id);
  }

  findByPasskey(passkeyId: unknown): Account | undefined {
    return [...this.byId.values()].find(({ passkey }) => passkey.id === passkeyId);
  }

  create(name: string, passkey: WebAuthnCredential): Account {
    const account = { id: randomUUID(), name, passkey };
    this.byId.set(account.id, account);
    return account;
  }
}

export const accounts = new Accounts();
