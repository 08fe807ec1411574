// SPDX-License-Identifier: Apache-2.0
// Every request of 3.x, sent over sockets. The scripts run in order, so that a value that was set
// is read back.
#include <algorithm>

#include "yarp/server/dispatcher.h"
#include "yarp/server/support.h"
#include "yarp/server/verbs.h"

namespace servosim::yarp::server {
namespace {

const std::vector<Said> kModesAndNames{
    {"get prot", "[prot] 1 9 0 [ok]"},
    {"get axes", "[is] axes 4 * [ok]"},
    {"get name 1", "[is] name \"m1\" * [ok]"},
    {"get type 1", "[is] type 1987212385 * [ok]"},
    {"set icmd cmod 0 vel", "[ok]"},
    {"set icmd cmod 0 [vel]", "[ok]"},
    {"set icmd cmog 2 (1 2) (torq pos)", "[ok]"},
    {"set icmd cmds (pos pos pos pos)", "[ok]"},
    {"get icmd cmod 0", "[is] 0 [pos] * [ok]"},
    {"get icmd cmds", "[is] [cmds] ([pos] [pos] [pos] [pos]) * [ok]"},
    {"get icmd cmog 2 (2 0)", "[is] [cmog] ([pos] [pos]) * [ok]"},
    {"set intm mode 0 comp", "[ok]"},
    {"set intm modg 2 (0 1) (stif comp)", "[ok]"},
    {"set intm mods (stif stif stif stif)", "[ok]"},
    {"get intm mode 0", "[stif] * [ok]"},
    {"get intm mods", "([stif] [stif] [stif] [stif]) * [ok]"},
    {"get intm modg 2 (0 1)", "([stif] [stif]) * [ok]"},
};

// A reply repeats the words of the request as they were typed. A query without a joint means the
// first joint. To move or set a joint, it must be named.
const std::vector<Said> kAsTyped{
    {"set encs (1.5 2.5 3.5 4.5)", "[ok]"},
    {"get enc", "[is] enc 1.5 * [ok]"},
    {"[get] [enc]", "[is] [enc] 1.5 * [ok]"},
    {"[get] enc 2", "[is] enc 3.5 * [ok]"},
    {"get torque rng", "[is] torque -20.0 20.0 * [ok]"},
    {"get icmd cmod", "[is] 0 [pos] * [ok]"},
    {"get icmd cmds", "[is] [cmds] ([pos] [pos] [pos] [pos]) * [ok]"},
    {"get pid pid pos 9", "[fail]"},
    {"get enc x", "[fail]"},
    {"set pos", "[fail]"},
    {"set pos 0", "[fail]"},
    {"set sto", "[fail]"},
    {"set eres", "[ok]"},
};

const std::vector<Said> kMotion{
    {"set pos 0 20", "[ok]"},
    {"set poss (1 2 3 4.5)", "[ok]"},
    {"set posg 2 (0 1) (5.5 6)", "[ok]"},
    {"set rel 0 1.5", "[ok]"},
    {"set rels (1 1 1 1)", "[ok]"},
    {"set relg 1 (2) (3)", "[ok]"},
    {"get pos 1", "[is] pos 1.0 * [ok]"},
    {"get poss", "[is] poss (1.0 1.0 3.0 1.0) * [ok]"},
    {"get posg 2 (0 1)", "[is] posg (1.0 1.0) * [ok]"},
    {"get don 0", "[is] don 0 * [ok]"},
    {"get dons", "[is] dons 0 * [ok]"},
    {"get dong 2 (0 1)", "[is] dong 0 * [ok]"},
    {"set vel 0 20", "[ok]"},
    {"set vels (11 12 13 14)", "[ok]"},
    {"set velg 1 (2) (33)", "[ok]"},
    {"get vel 0", "[is] vel 11.0 * [ok]"},
    {"get vels", "[is] vels (11.0 12.0 33.0 14.0) * [ok]"},
    {"get velg 1 (2)", "[is] velg (33.0) * [ok]"},
    {"set acc 0 20", "[ok]"},
    {"set accs (11 12 13 14)", "[ok]"},
    {"set accg 1 (2) (33)", "[ok]"},
    {"get acc 0", "[is] acc 11.0 * [ok]"},
    {"get accs", "[is] accs (11.0 12.0 33.0 14.0) * [ok]"},
    {"get accg 1 (2)", "[is] accg (33.0) * [ok]"},
    {"set sto 0", "[ok]"},
    {"set stos", "[ok]"},
    {"set stog 2 (0 1)", "[ok]"},
    {"get don 0", "[is] don 1 * [ok]"},
    {"get dons", "[is] dons 1 * [ok]"},
    {"set icmd cmds (vel vel vel vel)", "[ok]"},
    {"set vmos (1 2 3 4)", "[ok]"},
    {"get vmo 0", "[is] vmo 1.0 * [ok]"},
    {"get vmos", "[is] vmos (1.0 2.0 3.0 4.0) * [ok]"},
    {"get vmog 2 (0 1)", "[is] vmog (1.0 2.0) * [ok]"},
    {"get dpo 0", "[is] dpo 0.0 * [ok]"},
    {"get dpos", "[is] dpos (0.0 0.0 0.0 0.0) * [ok]"},
    {"get dpog 2 (0 1)", "[is] dpog (0.0 0.0) * [ok]"},
};

const std::vector<Said> kEfforts{
    {"set icmd cmds (torq torq torq pos)", "[ok]"},
    {"set torq ref 0 1.5", "[ok]"},
    {"set torq refs (2.5 1 -1 1)", "[ok]"},
    {"get torq ref 0", "[is] torq 2.5 * [ok]"},
    {"get torq refs", "[is] torq (2.5 1.0 -1.0 0.0) * [ok]"},
    {"get torq trq 0", "[is] torq 0.0 * [ok]"},
    {"get torq trqs", "[is] torq (0.0 0.0 0.0 0.0) * [ok]"},
    {"get torq rng 0", "[is] torq -20.0 20.0 * [ok]"},
    {"get torq rngs", "[is] torq (-20.0 -20.0 -20.0 -20.0) (20.0 20.0 20.0 20.0) * [ok]"},
    {"set torq mtps 0 (1 2 3 4 5 6 7 8 9)", "[ok]"},
    {"get torq mtps 0", "[is] torq (1.0 2.0 3.0 4.0 5.0 6.0 7.0 8.0 9.0) * [ok]"},
    {"set torq trqd", "[fail]"},
    {"set iimp ipr 0 (0.5 0.25)", "[ok]"},
    {"get iimp ipr 0", "[is] iimp (0.5 0.25) * [ok]"},
    {"set iimp iof 0 (1.25)", "[ok]"},
    {"get iimp iof 0", "[is] iimp (1.25) * [ok]"},
    {"get iimp llim 0", "[is] iimp (0.0 1000000.0 0.0 1000000.0) * [ok]"},
    {"get ipwm ref 0", "[is] ipwm 0.0 [ok]"},
    {"get ipwm refs", "[is] ipwm (0.0 0.0 0.0 0.0) [ok]"},
    {"get ipwm pwm 0", "[is] ipwm 0.0 [ok]"},
    {"get ipwm pwms", "[is] ipwm (0.0 0.0 0.0 0.0) [ok]"},
    {"get icur ref 0", "[is] icur 0.0 [ok]"},
    {"get icur refs", "[is] icur (0.0 0.0 0.0 0.0) [ok]"},
    {"get icur rng 0", "[is] icur -20.0 20.0 [ok]"},
    {"get icur rngs", "[is] icur (-20.0 -20.0 -20.0 -20.0) (20.0 20.0 20.0 20.0) [ok]"},
};

const std::vector<Said> kControllers{
    {"set pid pid pos 0 (10 1 0.5 100 200 5 2 0.1 0.2 0.3)", "[ok]"},
    {"get pid pid pos 0", "[is] pid (10.0 1.0 0.5 100.0 200.0 5.0 2.0 0.1 0.2 0.3) [ok]"},
    {"set pid pids trq ((1 0 0 0 0 0 0 0 0 0) (2 0 0 0 0 0 0 0 0 0) (3 0 0 0 0 0 0 0 0 0) (4 0 0 0 "
     "0 0 0 0 0 0))",
     "[ok]"},
    {"get pid pids trq",
     "[is] pid ((1.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0) (2.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 "
     "0.0) (3.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0) (4.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0)) "
     "[ok]"},
    {"set icmd cmds (pos pos pos pos)", "[ok]"},
    {"set pid ref pos 0 1.5", "[ok]"},
    {"get pid ref pos 0", "[is] pid 1.5 [ok]"},
    {"set pid refs pos (1 2 3 4)", "[ok]"},
    {"get pid ref pos 0", "[is] pid 1.0 [ok]"},
    {"get pid refs pos", "[is] pid (1.0 2.0 3.0 4.0) [ok]"},
    {"set pid lim pos 0 3.5", "[ok]"},
    {"set pid lims pos (1 2 3 4)", "[ok]"},
    {"get pid lim pos 0", "[is] pid 1.0 [ok]"},
    {"get pid lims pos", "[is] pid (1.0 2.0 3.0 4.0) [ok]"},
    {"get pid err pos 0", "[is] pid 1.0 [ok]"},
    {"get pid errs pos", "[is] pid (1.0 2.0 3.0 4.0) [ok]"},
    {"get pid out pos 0", "[is] pid 0.0 [ok]"},
    {"get pid outs pos", "[is] pid (0.0 0.0 0.0 0.0) [ok]"},
    {"set pid off pos 0 0.75", "[ok]"},
    {"set pid res pos 0", "[ok]"},
    {"set pid ena pos 0", "[ok]"},
    {"set pid dis pos 0", "[ok]"},
    {"get pid ena pos 0", "[is] pid 1 [ok]"},
};

const std::vector<Said> kLimitsAndEncoders{
    {"set llim 0 -90 90", "[ok]"},
    {"get llim 0", "[is] llim -90.0 90.0 * [ok]"},
    {"set vlim 0 0 100", "[ok]"},
    {"get vlim 0", "[is] vlim 0.0 100.0 * [ok]"},
    {"get enc 0", "[is] enc 0.0 * [ok]"},
    {"get encs", "[is] encs (0.0 0.0 0.0 0.0) * [ok]"},
    {"get esp 0", "[is] esp 0.0 * [ok]"},
    {"get esps", "[is] esps (0.0 0.0 0.0 0.0) * [ok]"},
    {"get eac 0", "[is] eac 0.0 * [ok]"},
    {"get eacs", "[is] eacs (0.0 0.0 0.0 0.0) * [ok]"},
    {"set enc 0 5", "[ok]"},
    {"set encs (1 2 3 4)", "[ok]"},
    {"set ere 0", "[ok]"},
    {"set eres", "[ok]"},
    {"get mnum", "[is] mnum 4 * [ok]"},
    {"get mnc 0", "[is] mnc 0.0 * [ok]"},
    {"get mncs", "[is] mncs (0.0 0.0 0.0 0.0) * [ok]"},
    {"get msp 0", "[is] msp 0.0 * [ok]"},
    {"get msps", "[is] msps (0.0 0.0 0.0 0.0) * [ok]"},
    {"get mac 0", "[is] mac 0.0 * [ok]"},
    {"get macs", "[is] macs (0.0 0.0 0.0 0.0) * [ok]"},
    {"set mnc 0 5", "[ok]"},
    {"set mncs (1 2 3 4)", "[ok]"},
    {"set mre 0", "[ok]"},
    {"set mres", "[ok]"},
    {"set mcpr 0 100", "[ok]"},
    {"get mcpr 0", "[is] mcpr 100.0 * [ok]"},
    {"set enc 0 5", "[ok]"},
    {"get enc 0", "[is] enc 5.0 * [ok]"},
    {"set encs (1 2 3 4)", "[ok]"},
    {"get encs", "[is] encs (1.0 2.0 3.0 4.0) * [ok]"},
    {"set ere 0", "[ok]"},
    {"get encs", "[is] encs (0.0 2.0 3.0 4.0) * [ok]"},
    {"set mnc 0 2", "[ok]"},
    {"get mncs", "[is] mncs (2.0 2.0 3.0 4.0) * [ok]"},
};

const std::vector<Said> kAmplifiers{
    {"set aen 0", "[ok]"},
    {"set adi 0", "[ok]"},
    {"get asts 0", "[is] asts 1 * [ok]"},
    {"get asta", "[is] asta (1 1 1 1) * [ok]"},
    {"get acu 0", "[is] acu 0.0 * [ok]"},
    {"get acus", "[is] acus (0.0 0.0 0.0 0.0) * [ok]"},
    {"set maxc 0 10", "[ok]"},
    {"get maxc 0", "[is] maxc 10.0 * [ok]"},
    {"set acno 0 5", "[ok]"},
    {"get acno 0", "[is] acno 5.0 * [ok]"},
    {"set acpk 0 8", "[ok]"},
    {"get acpk 0", "[is] acpk 8.0 * [ok]"},
    {"set pwml 0 50", "[ok]"},
    {"get pwml 0", "[is] pwml 50.0 * [ok]"},
    {"get pwm 0", "[is] pwm 0.0 * [ok]"},
    {"get avsu 0", "[fail]"},
    {"get mtnm", "[is] mtnm 4 * [ok]"},
    {"get tmp 0", "[fail]"},
    {"get tmps", "[fail]"},
    {"set tmpl 0 80", "[ok]"},
    {"get tmpl 0", "[is] tmpl 80.0 * [ok]"},
    {"set gbxr 0 100", "[ok]"},
    {"get gbxr 0", "[is] gbxr 100.0 * [ok]"},
    {"get ijfl jhfl 0", "[is] -1 none [ok]"},
};

const std::vector<Said> kCalibration{
    {"calj 0 1 10 20 0", "[ok]"},
    {"cljp 0 1 10 20 0 0", "[ok]"},
    {"cal", "[fail]"},
    {"cald 0", "[fail]"},
    {"park", "[ok]"},
    {"abca", "[ok]"},
    {"abpa", "[ok]"},
    {"get reca isca", "[is] reca 1 * [ok]"},
    {"set reca cal 0", "[fail]"},
    {"set reca cals", "[fail]"},
    {"set reca hom 0", "[ok]"},
    {"set reca homs", "[ok]"},
    {"set reca par 0", "[ok]"},
    {"set reca pars", "[ok]"},
    {"set reca quca", "[ok]"},
    {"set reca qupa", "[ok]"},
    {"get ivar lvar",
     "[is] ivar (kPWM kCurrent hardLimitMargin velocityTimeout parkPosition homePosition) * "
     "[ok]"},
    {"get ivar mvar kPWM", "[is] ivar (1.0 1.0 1.0 1.0) * [ok]"},
    {"set ivar mvar kPWM 1 2 3 4", "[ok]"},
    {"get ivar mvar kPWM", "[is] ivar (1.0 2.0 3.0 4.0) * [ok]"},
    {"set ivar mvar kPWM (2 2 2 2)", "[ok]"},
    {"get ivar mvar kPWM", "[is] ivar (2.0 2.0 2.0 2.0) * [ok]"},
};

std::vector<Said> everything() {
  std::vector<Said> all;
  for (const auto& script : {kModesAndNames, kAsTyped, kMotion, kEfforts, kControllers,
                             kLimitsAndEncoders, kAmplifiers, kCalibration}) {
    all.insert(all.end(), script.begin(), script.end());
  }
  return all;
}

TEST(WireRequests, OfEveryVerbByTcp) {
  const ServedBoard board;
  Asker ask(board, Carrier::Tcp);
  converse(ask, everything());
}

TEST(WireRequests, OfEveryVerbAsTypedByPeople) {
  const ServedBoard board;
  Asker ask(board, Carrier::Text);
  converse(ask, everything());
}

TEST(WireRequests, TheScriptsLeaveNoVerbOut) {
  const auto scripts = everything();
  const Verbs verbs;
  for (const Verb& verb : verbs.all()) {
    EXPECT_TRUE(!verb.in_v3 || std::any_of(scripts.begin(), scripts.end(), [&](const Said& row) {
      return (row.request + " ").starts_with(verb.words + " ");
    })) << verb.words;
  }
}

// An invalid request is refused, reported to the user, and changes nothing.
constexpr const char* kBad[] = {"bogus",
                                "get",
                                "set",
                                "get bogus",
                                "set bogus 1",
                                "get icmd",
                                "get icmd bogus 0",
                                "1 2 3",
                                "(get axes)",
                                "()",
                                "\"\"",  // no verb
                                "set pos",
                                "set pos 0",
                                "set pos 0 x",
                                "set pos 0.5 1",
                                "set pos 1e300 1",
                                "set pos () 1",
                                "set pos 0 (1)",
                                "set poss",
                                "set poss 1 2 3 4",
                                "set poss (1 2 x 4)",  // wrong form
                                "set poss (1 2 3)",
                                "set poss (1 2 3 4 5)",
                                "set posg 2 (0 1) (1)",
                                "set posg 2 (0) (1)",
                                "set posg -1 () ()",
                                "set posg 5 (0 1 2 3 0) (1 1 1 1 1)",
                                "set icmd cmds (pos)",
                                "set pid pids pos ((1 2))",
                                "set torq mtps 0 (1 2)",  // too few numbers
                                "set pos 4 1",
                                "set pos -1 1",
                                "get pos 4",
                                "set posg 2 (0 4) (1 1)",
                                "get encs 1 2 3 x y",
                                "get ijfl jhfl 4",
                                "get pid pid pos 9",  // no such joint
                                "set icmd cmod 0 hwfa",
                                "set icmd cmod 0 junk",
                                "set icmd cmod 3 torq",
                                "set intm mode 0 junk",
                                "get pid pid junk 0",
                                "set pos 0 nan",
                                "set pos 0 inf",
                                "get ivar mvar junk",
                                "set ivar mvar junk 1 2 3 4",
                                "set ivar mvar kPWM 1",
                                "set ivar mvar kPWM x",
                                "get tmp 0",
                                "get avsu 0"};

TEST(WireRequests, AreRefusedWhenTheyCannotBe) {
  ServedBoard board;
  Asker ask(board, Carrier::Tcp);
  for (const char* bad : kBad) {
    const bool harmless = std::string_view(bad).starts_with("get encs");
    EXPECT_EQ(ask(bad), harmless ? "[is] encs (0.0 0.0 0.0 0.0) * [ok]" : "[fail]") << bad;
  }
  EXPECT_EQ(ask("get icmd cmods 0"), "[is] 0 [pos] * [ok]");  // only the first four letters count
  EXPECT_EQ(ask("get dons"), "[is] dons 0 * [ok]");           // the group's joint 0 has started
  ASSERT_FALSE(board.said().empty());
  EXPECT_EQ(board.said()[0],
            "/arm/rpc:i, from /asker: 'bogus' is no request of this board; \"help\" lists them");
}

// The server or the board says so in one line.
TEST(WireRequests, ThatAreRefusedAreEachSaid) {
  for (const char* bad : kBad) {
    test::Four four;
    const Timeline timeline(four.simulation);
    Dispatcher dispatcher(timeline, four.board, Generation::V3);
    const bool by_server = !dispatcher.request(yarp::bottle(bad)).warning.empty();
    const auto said = std::count(four.said.begin(), four.said.end(), '\n') + (by_server ? 1 : 0);
    EXPECT_EQ(said, std::string_view(bad).starts_with("get encs") ? 0 : 1) << bad;
  }
}

TEST(WireRequests, ForTheMotionOfTooManyJointsSayWhichThereAre) {
  test::Four four;
  const Timeline timeline(four.simulation);
  Dispatcher v3(timeline, four.board, Generation::V3);
  EXPECT_EQ(v3.request(yarp::bottle("get dong 5 (0 1 2 3 0)")).warning,
            "'get dong 5 (0 1 2 3 0)' is refused: the joints are 0 to 3");
  Dispatcher v4(timeline, four.board, Generation::V4);
  const auto reply =
      v4.request({{std::string("checkMotionDoneGroupRPC"), Bottle{{0, 1, 2, 3, 0}}}}).reply;
  EXPECT_EQ(std::get<Bottle>(reply).items.at(0), BottleValue(return_value("err7")));
}

TEST(WireRequests, ToAJointInAnotherModeAreDroppedAndSaidToBeDone) {
  const ServedBoard board;
  Asker ask(board, Carrier::Tcp);
  converse(ask, {{"set icmd cmod 0 idl", "[ok]"},
                 {"set pos 0 20", "[ok]"},
                 {"set poss (20 20 20 20)", "[ok]"},
                 {"get poss", "[is] poss (0.0 20.0 20.0 20.0) * [ok]"},
                 {"set posg 2 (0 4) (1 1)", "[fail]"}});  // there is no joint 4
}

TEST(WireRequests, TakeNumbersAndWordsOfAnyKind) {
  const ServedBoard board;
  Asker ask(board, Carrier::Tcp);
  converse(ask, {{"[set] [icmd] [cmod] 0 [vel]", "[ok]"},
                 {"set icmd cmod 0.0 7565168", "[ok]"},
                 {"get icmd cmod 0", "[is] 0 [pos] * [ok]"},
                 {"get icmd cmod 0.0", "[is] 0 [pos] * [ok]"},  // the joint number, not the item
                 {"set \"icmd\" cmod 0 velocity", "[fail]"},
                 {"set posg (1 2) (7 8.5)", "[ok]"},
                 {"get posg (1 2)", "[is] posg (7.0 8.5) * [ok]"},
                 {"set iimp ipr 0 0.5 0.25", "[ok]"},
                 {"get iimp ipr 0", "[is] iimp (0.5 0.25) * [ok]"},
                 {"[ver]", "[ver] 1 2 3"}});
}

TEST(WireRequests, HelpListsTheVerbs) {
  const ServedBoard board;
  Asker ask(board, Carrier::Tcp);
  const std::string all = ask("help");
  EXPECT_TRUE(all.starts_with("[many] \"j is a joint")) << all;
  const Bottle listed = yarp::bottle(all);
  const Verbs verbs;
  for (const Verb& verb : verbs.all()) {
    const yarp::BottleValue line =
        verb.words + (verb.call.arguments.empty() ? "" : " ") + std::string(verb.call.arguments);
    EXPECT_EQ(std::count(listed.items.begin(), listed.items.end(), line), verb.in_v3 ? 1 : 0)
        << verb.words;
  }
  EXPECT_TRUE(ask("[help] ijfl").ends_with("pos in it\" \"get ijfl jhfl j\""));
}

}  // namespace
}  // namespace servosim::yarp::server
