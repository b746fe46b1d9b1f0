"""The families with joints: each name with its maker and its share."""

from __future__ import annotations

from collections.abc import Mapping

from ..source import Family
from .appliances import dishwasher, microwave, oven, refrigerator, safe, washing_machine
from .arms import branching_arms, lamp, robot_arm, telescope
from .boxes import lidded_box, trash_can
from .cabinets import cabinet, desk, drawer_cabinet
from .cases import briefcase
from .folding import flip_phone, laptop, suitcase
from .fronts import sideboard
from .gadgets import camera, lighter, mouse, pen, printer, remote, usb_stick
from .hand_tools import eyeglasses, knife, pliers, scissors, stapler
from .kitchen import counter_oven, stacked_oven
from .kits import fitted_body, random_tree
from .machines import drinks_machine, top_loader
from .openings import door, window
from .plumbing import faucet, toilet
from .rolling import car, cart
from .sashes import sash_window
from .seats import folding_chair, recliner, swivel_chair
from .stands import leaf_table, monitor, tripod
from .switches import coffee_machine, switch, toaster
from .taps import mixer_tap
from .turning import clock, fan, globe, hand_wheel
from .vessels import bottle, bucket, dispenser, kettle, pot
from .walkers import hand, humanoid, many_legged

__all__ = ["JOINTED"]

JOINTED: Mapping[str, Family] = {
    "lidded_box": Family(lidded_box, 1.0),
    "trash_can": Family(trash_can, 1.2),
    "cabinet": Family(cabinet, 1.5),
    "drawer_cabinet": Family(drawer_cabinet, 1.0),
    "desk": Family(desk, 1.0),
    "microwave": Family(microwave, 0.7),
    "oven": Family(oven, 0.8),
    "dishwasher": Family(dishwasher, 0.6),
    "washing_machine": Family(washing_machine, 0.7),
    "refrigerator": Family(refrigerator, 1.2),
    "safe": Family(safe, 0.4),
    "door": Family(door, 1.0),
    "window": Family(window, 1.3),
    "laptop": Family(laptop, 0.8),
    "flip_phone": Family(flip_phone, 0.4),
    "suitcase": Family(suitcase, 0.8),
    "scissors": Family(scissors, 0.6),
    "pliers": Family(pliers, 0.5),
    "stapler": Family(stapler, 0.9),
    "knife": Family(knife, 0.6),
    "eyeglasses": Family(eyeglasses, 0.7),
    "bottle": Family(bottle, 0.7),
    "dispenser": Family(dispenser, 0.5),
    "pot": Family(pot, 0.9),
    "kettle": Family(kettle, 0.5),
    "bucket": Family(bucket, 0.5),
    "faucet": Family(faucet, 0.8),
    "toilet": Family(toilet, 0.6),
    "switch": Family(switch, 0.6),
    "toaster": Family(toaster, 0.5),
    "coffee_machine": Family(coffee_machine, 0.6),
    "lamp": Family(lamp, 1.0),
    "robot_arm": Family(robot_arm, 0.8),
    "telescope": Family(telescope, 0.4),
    "branching_arms": Family(branching_arms, 0.6),
    "swivel_chair": Family(swivel_chair, 0.6),
    "folding_chair": Family(folding_chair, 0.6),
    "recliner": Family(recliner, 0.4),
    "cart": Family(cart, 0.6),
    "car": Family(car, 0.6),
    "fan": Family(fan, 0.6),
    "clock": Family(clock, 0.3),
    "globe": Family(globe, 0.4),
    "hand_wheel": Family(hand_wheel, 0.4),
    "monitor": Family(monitor, 0.6),
    "leaf_table": Family(leaf_table, 0.6),
    "tripod": Family(tripod, 0.4),
    "camera": Family(camera, 0.6),
    "remote": Family(remote, 1.1),
    "mouse": Family(mouse, 0.2),
    "usb_stick": Family(usb_stick, 0.3),
    "pen": Family(pen, 0.3),
    "printer": Family(printer, 0.4),
    "lighter": Family(lighter, 0.3),
    "humanoid": Family(humanoid, 0.7),
    "many_legged": Family(many_legged, 0.7),
    "hand": Family(hand, 0.5),
    "fitted_body": Family(fitted_body, 0.7),
    "random_tree": Family(random_tree, 0.5),
    "stacked_oven": Family(stacked_oven, 1.0),
    "counter_oven": Family(counter_oven, 1.0),
    "sideboard": Family(sideboard, 1.4),
    "sash_window": Family(sash_window, 1.3),
    "mixer_tap": Family(mixer_tap, 1.5),
    "briefcase": Family(briefcase, 1.0),
    "drinks_machine": Family(drinks_machine, 1.2),
    "top_loader": Family(top_loader, 0.8),
}
