import { jest } from '@jest/globals';
import * as common from '@nestjs/common';
import * as core from '@nestjs/core';

// It is CommonJS and requires Nest, which is ES modules since 12: Jest lets it require none of those before Node 24.
jest.mock('@nestjs/common', () => common);
jest.mock('@nestjs/core', () => core);

export const { seconds, ThrottlerGuard, ThrottlerModule } = await import('@nestjs/throttler');
