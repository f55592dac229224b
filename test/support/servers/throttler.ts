import { jest } from '@jest/globals';
import * as common from '@nestjs/common';
import * as core from '@nestjs/core';

// `@nestjs/throttler` is CommonJS and requires Nest, which is ESM since version 12. Before Node.js 24, Jest cannot
// require ESM.
jest.mock('@nestjs/common', () => common);
jest.mock('@nestjs/core', () => core);

export const { seconds, ThrottlerGuard, ThrottlerModule } = await import('@nestjs/throttler');
