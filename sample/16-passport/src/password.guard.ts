import { type ExecutionContext, ForbiddenException, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { Request } from 'express';
import { issuer } from './address.js';
import { startSession } from './passport-request.js';

/** Checks the password and starts a session. If the password is wrong, the route runs without `request.user`. */
@Injectable()
export class PasswordGuard extends AuthGuard('local') {
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    // Login CSRF protection: another site could sign the browser in to an account of the attacker.
    if (request.get('origin') !== new URL(issuer).origin)
      throw new ForbiddenException('The login form was sent from another site.');
    await super.canActivate(context);
    if (request.user) await startSession(request, request.user);
    return true;
  }

  override handleRequest<T>(error: Error | null, user: T | false): T {
    if (error) throw error;
    return (user || undefined) as T;
  }
}
