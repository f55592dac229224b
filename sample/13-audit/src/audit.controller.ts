import { Controller, Get, Inject, Query, UseGuards } from '@nestjs/common';
import { OAuthGuard, Scopes } from 'nest-oauth2';
import { DataSource } from 'typeorm';
import { AuditEntry } from './audit-entry.js';

/** Lists the latest 100 audit entries, newest first. `?userId=` and `?grantId=` filter them. */
@Controller('audit')
@UseGuards(OAuthGuard)
@Scopes('audit:read')
export class AuditController {
  constructor(@Inject(DataSource) private readonly database: DataSource) {}

  @Get()
  list(@Query('userId') userId?: string, @Query('grantId') grantId?: string) {
    const where = { ...(userId && { userId: String(userId) }), ...(grantId && { grantId: String(grantId) }) };
    return this.database.manager.find(AuditEntry, { where, order: { id: 'DESC' }, take: 100 });
  }
}
