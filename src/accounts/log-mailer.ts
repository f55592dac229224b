import { Logger } from '@nestjs/common';
import type { Mail, Mailer } from './options.js';

/** Writes e-mails to the log. */
export class LogMailer implements Mailer {
  private readonly logger = new Logger('OAuth2 mail');

  send({ to, subject, text }: Mail): void {
    this.logger.log(`To: ${to}\nSubject: ${subject}\n\n${text}`);
  }
}

/**
 * Returns a mailer for development, which writes e-mails with their links to the log. In production, the application
 * does not start with it, because whoever reads the log could take over accounts.
 */
export const logMailer = (): Mailer => new LogMailer();
