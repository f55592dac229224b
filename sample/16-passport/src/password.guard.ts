import { type ExecutionContext, ForbiddenException, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { Request } from 'express';
import { issuer } from './address.js';
import { startSession } from './passport-request.js';

/** Signs in whoever sends the right password; others come through as nobody, so that the page can say so. */
@Injectable()
export class PasswordGuard extends AuthGuard('local') {
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    // A form elsewhere could sign its visitor in as somebody else.
    if (request.get('origin') !== new URL(issuer).origin) throw new ForbiddenException('The form is of another site');
    await super.canActivate(context);
    if (request.user) await startSession(request, request.user);
    return true;
  }

  override handleRequest<T>(error: Error | null, user: T | false): T {
    if (error) throw error;
    return (user || undefined) as T;
  }
}
