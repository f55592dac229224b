// A test of an application, run by Jest with ES modules.
import { expect, it } from '@jest/globals';
import 'reflect-metadata';
import * as common from '@nestjs/common';
import * as core from '@nestjs/core';
import * as oauth2 from 'nest-oauth2';
import * as memory from 'nest-oauth2/stores/memory';
import { askApplication } from './grant.cjs';

it('OAuthGuard protects a route of an application', async () => {
  const answer = await askApplication(oauth2, memory, common, core);
  expect(answer).toMatchObject({ stranger: 401, bearer: { status: 200, body: 'demo' } });
});
