import 'reflect-metadata';
import * as common from '@nestjs/common';
import * as core from '@nestjs/core';
import * as oauth2 from 'nest-oauth2';
import * as memory from 'nest-oauth2/stores/memory';
import { askApplication } from './grant.cjs';

console.log(JSON.stringify(await askApplication(oauth2, memory, common, core)));
