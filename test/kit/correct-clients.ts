import { setImmediate as tick } from 'node:timers/promises';

import type { Registration, RegistrationCredentials } from 'nest-oauth2/features';
import type { Client, ManagedClient } from 'nest-oauth2/server';

export const GRANTS = ['authorization_code', 'client_credentials', 'password', 'refresh_token'];
export const client = (id: string): Client => ({
  id,
  grants: GRANTS,
  redirectUris: ['https://app.example/callback'],
});
const SECRETS: Readonly<Record<string, string>> = { 'Web-App': 'Secret of the App', tv: 'Secret of the Television' };

/** A stored client. Increasing its generation revokes all of its tokens. */
export interface StoredClient extends Client {
  secrets: string[];
  generation: number;
  disabledAt?: Date;
  registration?: Registration;
  token?: string;
}

const kept = (whole: Client, secrets: string[]): StoredClient => ({ ...whole, secrets, generation: 0 });
const shown = ({ secrets, generation, registration, token, ...rest }: StoredClient): ManagedClient => ({
  ...rest,
  secrets: secrets.map(() => ({})),
});

/** The part of a correct model for clients and other records that are changed concurrently. */
export class CorrectClients {
  readonly clients = new Map(Object.entries(SECRETS).map(([id, secret]) => [id, kept(client(id), [secret])]));
  readonly signing: { text?: string } = {};

  async getClient(id: string, secret: string | null): Promise<Client | undefined> {
    await tick();
    const found = this.clients.get(id);
    if (!found || found.disabledAt || (secret !== null && !found.secrets.includes(secret))) return undefined;
    const { secrets: _, generation: __, registration: ___, token: ____, ...rest } = found;
    return rest;
  }

  async createClient({ secret, ...whole }: Client & { secret?: string | readonly string[] }): Promise<boolean> {
    await tick();
    return !this.clients.has(whole.id) && Boolean(this.clients.set(whole.id, kept(whole, [secret ?? []].flat())));
  }

  async changeClient(id: string, change: (client: ManagedClient) => object): Promise<ManagedClient | undefined> {
    await tick();
    const found = this.clients.get(id);
    return found && shown(Object.assign(found, change(shown(found))));
  }

  async findClient(id: string): Promise<ManagedClient | undefined> {
    await tick();
    const found = this.clients.get(id);
    return found && shown(found);
  }

  async rotateClientSecret(id: string, { overlap = 86_400 }: { overlap?: number | undefined } = {}) {
    await tick();
    const found = this.clients.get(id);
    if (!found) return undefined;
    const secret = crypto.randomUUID();
    found.secrets = [secret, ...(overlap > 0 ? found.secrets : [])];
    return { secret };
  }

  async disableClient(id: string): Promise<boolean> {
    await tick();
    const found = this.clients.get(id);
    return Boolean(found && Object.assign(found, { disabledAt: new Date(), generation: found.generation + 1 }));
  }

  async enableClient(id: string): Promise<boolean> {
    await tick();
    return delete this.clients.get(id)?.disabledAt;
  }

  async removeClient(id: string): Promise<boolean> {
    await tick();
    return this.clients.delete(id);
  }

  async saveRegistration(registration: Registration, credentials: RegistrationCredentials): Promise<void> {
    await tick();
    const { clientSecret, registrationAccessToken: token } = credentials;
    const whole = kept(registration.client, clientSecret === undefined ? [] : [clientSecret]);
    this.clients.set(whole.id, { ...whole, registration, ...(token !== undefined && { token }) });
  }

  async getRegistration(id: string, token: string): Promise<Registration | undefined> {
    await tick();
    const found = this.clients.get(id);
    return found?.token === token ? found.registration : undefined;
  }

  async updateRegistration(registration: Registration, credentials: RegistrationCredentials): Promise<boolean> {
    await tick();
    const { clientSecret, registrationAccessToken: token } = credentials;
    const found = this.clients.get(registration.client.id);
    if (!found) return false;
    Object.assign(found, registration.client, { registration }, token !== undefined && { token });
    if (clientSecret !== undefined) found.secrets = [clientSecret];
    return true;
  }

  async revokeRegistration({ client: { id } }: Registration): Promise<void> {
    await tick();
    this.clients.delete(id);
  }

  async getSigningKeys(): Promise<string | undefined> {
    await tick();
    return this.signing.text;
  }

  async replaceSigningKeys(old: string | undefined, text: string): Promise<boolean> {
    await tick();
    return this.signing.text === old && Boolean((this.signing.text = text));
  }
}
