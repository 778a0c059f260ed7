// All checks of the tree, each under the rule that it holds.
import { clocks } from './clocks.ts'
import { importCycles } from './cycles.ts'
import type { Check } from './finding.ts'
import { developmentPackages, importDirection } from './layers.ts'
import { anyTypes, notesInComments, ownSeeds, switchedOffTests, unnamedSkips } from './leftovers.ts'
import { emptyWordsInCode, emptyWordsInPaths, fileNames } from './names.ts'
import { oneRoad } from './road.ts'
import { fileLength, fileSize, functionLength } from './size.ts'
import { replacedEnvironments, surroundings } from './surroundings.ts'
import {
  documentedFolders,
  machinePaths,
  openingComments,
  outsideFolders,
  registries,
} from './texts.ts'
import { waits } from './waits.ts'

export const CHECKS: Readonly<Record<string, Check>> = {
  'imports follow the table of layers': importDirection,
  'what is published needs no development package': developmentPackages,
  'no imports go in a circle, types included': importCycles,
  'compactions take one road': oneRoad,
  'files are short': fileLength,
  'functions are short': functionLength,
  'files in git are small': fileSize,
  'nothing has the type any': anyTypes,
  'no compiler is silenced and no note is left': notesInComments,
  'no test is switched off': switchedOffTests,
  'every skip says what is missing': unnamedSkips,
  'random inputs come from one seed': ownSeeds,
  'folders that only compute have no clock and no randomness': clocks,
  'commands take their surroundings as an argument': surroundings,
  'no test replaces the environment': replacedEnvironments,
  'every folder has its line in ARCHITECTURE.md': documentedFolders,
  'every source file opens with what it is for': openingComments,
  'file names are kebab-case': fileNames,
  'file names say something': emptyWordsInPaths,
  'declared names say something': emptyWordsInCode,
  'no path of one machine is written down': machinePaths,
  'no folder outside of the repository is named': outsideFolders,
  'no package registry is written down': registries,
  'every wait of a test has a bound and a name': waits,
}
