// SPDX-License-Identifier: MIT
// The hands by name.
import type { HandName } from '../page/dock';
import { PaintHand, RefineHand } from './brush';
import type { Hand, Table } from './hand';
import { GrabHand, PinHand, PressHand } from './hold';
import { KnifeHand } from './knife';

export class Hands {
    private readonly all: Record<HandName, Hand>;
    constructor(table: Table, pressed: () => void, nothingToRefine: () => void) {
        this.all = { grab: new GrabHand(table), knife: new KnifeHand(table), press: new PressHand(table, pressed), paint: new PaintHand(table), refine: new RefineHand(table, nothingToRefine), pin: new PinHand(table) };
    }
    get(name: HandName): Hand { return this.all[name]; }
}
