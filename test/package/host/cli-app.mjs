import 'reflect-metadata';
import { fileURLToPath } from 'node:url';
import * as common from '@nestjs/common';
import * as oauth from 'nest-oauth2';
import * as memory from 'nest-oauth2/stores/memory';
import modules from './cli-module.cjs';

const file = `${fileURLToPath(import.meta.url)}.json`;
export const { AppModule } = modules.makeModules(oauth, memory, common, file);
export const helper = () => 'something else';
