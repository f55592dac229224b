import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { type OAuth2Event, type OAuth2EventName, OnOAuth2Event } from 'nest-oauth2';
import { DataSource } from 'typeorm';
import { AuditEntry } from './audit-entry.js';

/** So many may wait for a database that is away; then the oldest are lost, and the log says how many. */
const MOST_WAITING = 10_000;
/** SQLite takes some 30,000 values at once, other databases more. */
const BATCH = 500;
/** Milliseconds. */
const RETRY = 250;

type Entry = Omit<AuditEntry, 'id'>;

/** Writes every event to a table, in the order in which they happened, and keeps no client waiting for it. */
@Injectable()
export class AuditTrail implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Audit');
  private waiting: Entry[] = [];
  private isWriting = false;
  private written: Promise<void> = Promise.resolve();

  constructor(@Inject(DataSource) private readonly database: DataSource) {}

  @OnOAuth2Event('*')
  note({ at, clientId, userId, grantId, ...detail }: OAuth2Event, event: OAuth2EventName): void {
    this.waiting.push({
      at: at.toISOString(),
      event,
      clientId: clientId ?? null,
      userId: userId === undefined ? null : String(userId),
      grantId: grantId ?? null,
      detail: JSON.stringify(detail),
    });
    if (!this.isWriting) this.written = this.write();
  }

  /** What happened in the last second is written too. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.written;
    if (this.waiting.length > 0) this.logger.error(`${this.waiting.length} entries are lost: the database is away`);
  }

  private async write(): Promise<void> {
    this.isWriting = true;
    // The answers of this moment are sent first.
    await new Promise((resolve) => setImmediate(resolve));
    try {
      while (this.waiting.length > 0) {
        const batch = this.waiting.slice(0, BATCH);
        await this.database.manager.insert(AuditEntry, batch);
        this.waiting.splice(0, batch.length);
      }
      this.isWriting = false;
    } catch (error) {
      this.logger.error(`The audit trail cannot be written: ${String(error)}`);
      this.forgetTheOldest();
      setTimeout(() => void (this.written = this.write()), RETRY).unref();
    }
  }

  private forgetTheOldest(): void {
    const lost = this.waiting.length - MOST_WAITING;
    if (lost <= 0) return;
    this.waiting.splice(0, lost);
    this.logger.error(`${lost} entries are lost`);
  }
}
